import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Preferences, preferencesRecord } from './record.ts';

const TABLE = preferencesRecord.table;

const byUser = statement<{ admin_user_id: string }>((q, p) =>
  q(TABLE)
    .where({ admin_user_id: p('admin_user_id') })
    .select('*'),
);

/** What somebody chose; null for nothing. */
export async function find(ctx: Ctx, adminUserId: string): Promise<Preferences | null> {
  const row = await byUser.first(ctx.db, { admin_user_id: adminUserId });
  return row ? preferencesRecord.read(row) : null;
}

export async function put(ctx: Ctx, adminUserId: string, preferences: Preferences): Promise<void> {
  const now = ctx.now();
  const row = preferencesRecord.write({ ...preferences, adminUserId, createdAt: now, updatedAt: now });
  const { created_at: _first, ...changed } = row;
  await ctx.db.knex(TABLE).insert(row).onConflict('admin_user_id').merge(Object.keys(changed));
}
