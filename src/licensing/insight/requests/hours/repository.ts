import type { Ctx } from '#kernel/context.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { requestHourRecord } from './record.ts';

const TABLE = requestHourRecord.table;
const COUNTERS = ['requests', 'refused', 'failed'] as const;

/** What was counted of an hour and a duration. */
export type HourCounts = ValuesOf<typeof requestHourRecord>;

interface Row {
  tenant_id: string;
  hour: string;
  up_to_ms: number;
  requests: number;
  refused: number;
  failed: number;
}

const upsert = statement<Row>((q, p) =>
  q('license_request_hours')
    .insert(p.row('tenant_id', 'hour', 'up_to_ms', ...COUNTERS))
    .onConflict(['tenant_id', 'hour', 'up_to_ms'])
    .merge(
      Object.fromEntries(
        COUNTERS.map((name) => [name, q.raw('?? + excluded.??', [`${TABLE}.${name}`, name])]),
      ),
    ),
);

/** Adds to what is known of an hour and a duration. */
export async function addHour(
  ctx: Ctx,
  { tenantId, hour, upToMs, requests, refused, failed }: HourCounts,
): Promise<void> {
  await upsert.run(ctx.db, { tenant_id: tenantId, hour, up_to_ms: upToMs, requests, refused, failed });
}
