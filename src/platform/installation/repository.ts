import type { Ctx } from '#kernel/context.ts';

/** Row of `settings` that names the master key; it is no setting that anybody changes. */
const KEY = 'system.master_key_id';

export async function findMasterKeyId(ctx: Ctx): Promise<string | null> {
  const row = await ctx.db.knex('settings').where({ key: KEY }).first('value');
  return row ? String(JSON.parse(row.value)) : null;
}

/** Names the key unless one is named already. */
export async function insertMasterKeyId(ctx: Ctx, keyId: string): Promise<void> {
  const now = ctx.now();
  await ctx.db
    .knex('settings')
    .insert({ key: KEY, value: JSON.stringify(keyId), is_secret: false, created_at: now, updated_at: now })
    .onConflict('key')
    .ignore();
}
