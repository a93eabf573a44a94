import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { DayRange } from '../range.ts';
import { callDayRecord, keyHourRecord } from '../record.ts';
import { STEP_COLUMNS } from './steps.ts';

/** Calls of a day in UTC, and how many fell into each step of duration, the shortest first. */
export interface CallsOfDay {
  readonly day: string;
  readonly calls: number;
  readonly failed: number;
  readonly steps: readonly number[];
}

/** The calls of the tenant in a range; days without one are missing. */
export async function listCallDays(ctx: Ctx, { from, to }: DayRange): Promise<CallsOfDay[]> {
  const rows: Record<string, string>[] = await ctx.db
    .knex(callDayRecord.table)
    .where('tenant_id', ctx.tenantId)
    .whereBetween('day', [from, to])
    .orderBy('day');
  return rows.map((row) => ({
    day: String(row.day),
    calls: Number(row.calls),
    failed: Number(row.failed),
    steps: STEP_COLUMNS.map((name) => Number(row[name])),
  }));
}

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
