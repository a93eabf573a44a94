import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { callDayRecord, keyHourRecord } from '../record.ts';
import { STEP_COLUMNS } from './steps.ts';

/** Calls of an API key in an hour: `2026-03-01T12`. */
export interface KeyHour {
  readonly apiKeyId: string;
  readonly hour: string;
  calls: number;
  failed: number;
}

/** Calls of a tenant on a day, and how many of them fell into each step of duration. */
export interface CallDay {
  readonly tenantId: string;
  readonly day: string;
  calls: number;
  failed: number;
  readonly steps: number[];
}

const HOURS = keyHourRecord.table;
const DAYS = callDayRecord.table;
const DAY_COUNTERS = ['calls', 'failed', ...STEP_COLUMNS];

/** Processes add to the same row. */
const sums = (q: Knex, table: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, q.raw('?? + excluded.??', [`${table}.${name}`, name])]));

const upsertHour = statement<{ api_key_id: string; hour: string; calls: number; failed: number }>((q, p) =>
  q(HOURS)
    .insert(p.row('api_key_id', 'hour', 'calls', 'failed'))
    .onConflict(['api_key_id', 'hour'])
    .merge(sums(q, HOURS, ['calls', 'failed'])),
);

const upsertDay = statement<Record<string, string | number>>((q, p) =>
  q(DAYS)
    .insert(p.row('tenant_id', 'day', ...DAY_COUNTERS))
    .onConflict(['tenant_id', 'day'])
    .merge(sums(q, DAYS, DAY_COUNTERS)),
);

/** Adds calls to their rows, in the order of keys and tenants (C9); those of what was removed meanwhile are forgotten. */
export async function addCalls(
  ctx: Ctx,
  hours: readonly KeyHour[],
  days: readonly CallDay[],
): Promise<number> {
  const keys = await lock(ctx, 'api_keys', [...new Set(hours.map(({ apiKeyId }) => apiKeyId))]);
  const tenants = await lock(ctx, 'license_tenants', [...new Set(days.map(({ tenantId }) => tenantId))]);
  const ofHours = hours
    .filter(({ apiKeyId }) => keys.has(apiKeyId))
    .sort((one, other) => inOrder(one.apiKeyId, other.apiKeyId) || inOrder(one.hour, other.hour));
  const ofDays = days
    .filter(({ tenantId }) => tenants.has(tenantId))
    .sort((one, other) => inOrder(one.tenantId, other.tenantId) || inOrder(one.day, other.day));
  for (const { apiKeyId, ...counted } of ofHours)
    await upsertHour.run(ctx.db, { api_key_id: apiKeyId, ...counted });
  for (const { tenantId, steps, ...counted } of ofDays) {
    const byStep = Object.fromEntries(STEP_COLUMNS.map((name, at) => [name, steps[at] ?? 0]));
    await upsertDay.run(ctx.db, { tenant_id: tenantId, ...counted, ...byStep });
  }
  return ofHours.length + ofDays.length;
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Which of these exist; they stay until the transaction ends. */
async function lock(
  ctx: Ctx,
  table: 'api_keys' | 'license_tenants',
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db
    .knex(table)
    .whereIn('id', [...ids])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map((row) => row.id));
}
