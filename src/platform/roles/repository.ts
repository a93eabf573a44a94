import type { Ctx } from '#kernel/context.ts';

/** Gives a user roles by their names; those that it has already stay. */
export async function give(ctx: Ctx, userId: string, names: readonly string[]): Promise<void> {
  const roles: { id: string }[] = await ctx.db.knex('roles').whereIn('name', names).select('id');
  const created_at = ctx.now();
  const rows = roles.map(({ id }) => ({ admin_user_id: userId, role_id: id, created_at }));
  if (rows.length > 0) await ctx.db.knex('admin_user_roles').insert(rows).onConflict().ignore();
}
