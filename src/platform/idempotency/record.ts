import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';

/** A longer answer than the longest bulk run gives. */
const LONGEST_ANSWER = 4_000_000;

/** Days for which the same request gets the same answer (reliability M5). */
export const KEPT_DAYS = 1;

/** Requests that were sent with an Idempotency-Key and changed something, each with its answer. */
export const idempotencyKeyRecord = record(
  'idempotency_keys',
  {
    /** No foreign key: the rows are gone a day later. */
    tenantId: column.text(30, 30),
    /** Who asked, and which operation for: `admin adm_… POST /api/v1/admin/webhooks`. */
    scope: column.text(500, 1),
    key: column.text(255, 1),
    requestHash: column.text(43, 43).secret(),
    /** Status and body, sealed; null until the work has ended. */
    answer: column.text(LONGEST_ANSWER).nullable().secret(),
    createdAt: column.time(),
  },
  {
    key: ['tenantId', 'scope', 'key'],
    kept: [{ as: 'idempotencyKeys', by: 'createdAt', days: KEPT_DAYS }],
  },
);
