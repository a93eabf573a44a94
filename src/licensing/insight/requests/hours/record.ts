import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/** Two years and some days, as other totals of a day are kept. */
const DAYS = 800;

/** Requests of an hour by how long they took. */
export const requestHourRecord = record(
  'license_request_hours',
  {
    tenantId: tenantColumn(),
    /** Its first moment. */
    hour: column.time(),
    /** They took so many milliseconds at most, and more than the next smaller bound. */
    upToMs: column.integer(0),
    requests: column.integer(0),
    /** Of them, those that were answered with 400 to 499. */
    refused: column.integer(0),
    /** Of them, those that were answered with 500 or more. */
    failed: column.integer(0),
  },
  { key: ['tenantId', 'hour', 'upToMs'], kept: [{ as: 'requestHours', by: 'hour', days: DAYS }] },
);
