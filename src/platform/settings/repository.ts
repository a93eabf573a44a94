import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { raiseCounter, readCounter } from '#kernel/db/counters.ts';

export interface SettingRow {
  key: string;
  value: string;
  isSecret: boolean;
}

/** A setting as it is stored, with who changed it last. */
export interface StoredSetting extends SettingRow {
  /** Label of the actor; null for nobody. */
  readonly updatedBy: string | null;
  /** ISO time. */
  readonly updatedAt: string;
}

const COUNTER = 'settings';

/** Rises with every change of any setting. */
export const readVersion = async (ctx: Ctx): Promise<number> => (await readCounter(ctx, COUNTER)) ?? 0;

/** Takes the next version. Its row is the lock under which settings are changed. */
export const nextVersion = (ctx: Ctx): Promise<number> => raiseCounter(ctx, COUNTER);

export async function list(ctx: Ctx): Promise<StoredSetting[]> {
  const rows = await ctx.db
    .knex('settings')
    .select('key', 'value', 'is_secret', 'updated_by', 'updated_at')
    .orderBy('key');
  return rows.map((row) => ({
    key: row.key,
    value: row.value,
    isSecret: readFlag(row.is_secret),
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
  }));
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

/** Writes a value that nobody changes, unless there is one already. @param value JSON */
export async function insertOnce(ctx: Ctx, key: string, value: string): Promise<void> {
  const now = ctx.now();
  await ctx.db
    .knex('settings')
    .insert({ key, value, is_secret: false, created_at: now, updated_at: now })
    .onConflict('key')
    .ignore();
}
