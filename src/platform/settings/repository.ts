import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';

export interface SettingRow {
  key: string;
  value: string;
  isSecret: boolean;
}

const COUNTER = 'settings';

const readCounter = statement<object, { value: number }>((q) =>
  q('counters').where({ name: COUNTER }).select('value'),
);

/** Rises with every change of any setting. */
export async function readVersion(ctx: Ctx): Promise<number> {
  return (await readCounter.first(ctx.db, {}))?.value ?? 0;
}

/** Takes the next version. Its row is the lock under which settings are changed. */
export async function nextVersion(ctx: Ctx): Promise<void> {
  await ctx.db.knex('counters').where({ name: COUNTER }).increment('value', 1);
}

export async function list(ctx: Ctx): Promise<SettingRow[]> {
  const rows = await ctx.db.knex('settings').select('key', 'value', 'is_secret').orderBy('key');
  return rows.map((row) => ({ key: row.key, value: row.value, isSecret: readFlag(row.is_secret) }));
}

export async function upsert(ctx: Ctx, row: SettingRow): Promise<void> {
  const now = ctx.now();
  const changed = { value: row.value, is_secret: row.isSecret, updated_by: ctx.actor.label, updated_at: now };
  await ctx.db
    .knex('settings')
    .insert({ key: row.key, ...changed, created_at: now })
    .onConflict('key')
    .merge(changed);
}

/** Whether there was a row to delete. */
export async function remove(ctx: Ctx, key: string): Promise<boolean> {
  return (await ctx.db.knex('settings').where({ key }).delete()) > 0;
}
