import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { keyHourRecord } from '../record.ts';

/**
 * Calls of API keys in the last 24 hours, whole hours in UTC; those of the last ten seconds may be missing.
 *
 * @param ids of keys that the actor may see
 * @returns 0 for a key without a call
 */
export async function callsOfKeys(ctx: Ctx, ids: readonly string[]): Promise<(id: string) => number> {
  const since = addSeconds(ctx.now(), -SECONDS_PER_DAY).slice(0, 13);
  const rows: { api_key_id: string; calls: unknown }[] = await ctx.db
    .knex(keyHourRecord.table)
    .whereIn('api_key_id', [...ids])
    .where('hour', '>', since)
    .groupBy('api_key_id')
    .select('api_key_id')
    .sum({ calls: 'calls' });
  const counts = new Map(rows.map(({ api_key_id, calls }) => [api_key_id, Number(calls)]));
  return (id) => counts.get(id) ?? 0;
}
