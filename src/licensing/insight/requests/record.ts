import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { requestLogDays } from '#licensing/contract/settings.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

const LONG = 100_000;

/** Calls of the API (licensing 4.6). Rows may outlive or precede what they name, so nothing is referenced. */
export const requestRecord = record(
  'license_requests',
  {
    id: column.text(64, 1),
    tenantId: tenantColumn().nullable().aside(),
    at: column.time(),
    method: column.text(20),
    route: column.text(2048),
    status: column.integer(100, 599),
    code: column.text(100).nullable(),
    /** The rate limit that refused it. */
    bucket: column.text(100).nullable(),
    licenseId: column.id(ids.license).nullable(),
    apiKeyId: column.text(30).nullable(),
    ip: column.text(64).personal(),
    userAgent: column.text(1000).nullable().personal(),
    /** Duration in milliseconds. */
    ms: column.integer(0),
    /** JSON texts: what the decision saw, and its steps. */
    facts: column.text(LONG).nullable().personal().aside(),
    trace: column.text(LONG).nullable().personal().aside(),
  },
  { kept: [{ as: 'requests', by: 'at', days: requestLogDays }] },
);

/** A recorded request without its explanation. */
export type RecordedRequest = ValuesOf<typeof requestRecord>;
