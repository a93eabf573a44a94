import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { keyHourRecord } from '../record.ts';

/** Calls of an API key in an hour: `2026-03-01T12`. */
export interface KeyHour {
  readonly apiKeyId: string;
  readonly hour: string;
  calls: number;
  failed: number;
}

const TABLE = keyHourRecord.table;
const COUNTERS = ['calls', 'failed'] as const;

/** Processes add to the same row. */
const upsert = statement<{ api_key_id: string; hour: string; calls: number; failed: number }>((q, p) =>
  q(TABLE)
    .insert(p.row('api_key_id', 'hour', ...COUNTERS))
    .onConflict(['api_key_id', 'hour'])
    .merge(
      Object.fromEntries(
        COUNTERS.map((name) => [name, q.raw('?? + excluded.??', [`${TABLE}.${name}`, name])]),
      ),
    ),
);

/** Adds calls to their rows, in the order of keys (C9); those of keys that were removed meanwhile are forgotten. */
export async function addKeyHours(ctx: Ctx, hours: readonly KeyHour[]): Promise<number> {
  const keys = await lock(ctx, [...new Set(hours.map(({ apiKeyId }) => apiKeyId))]);
  const known = hours
    .filter(({ apiKeyId }) => keys.has(apiKeyId))
    .sort((one, other) => inOrder(one.apiKeyId, other.apiKeyId) || inOrder(one.hour, other.hour));
  for (const { apiKeyId, ...counted } of known)
    await upsert.run(ctx.db, { api_key_id: apiKeyId, ...counted });
  return known.length;
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Which of these keys exist; they stay until the transaction ends. */
async function lock(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db
    .knex('api_keys')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map((row) => row.id));
}
