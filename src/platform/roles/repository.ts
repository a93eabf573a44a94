import type { ScopeKind, Scopes } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { roleRecord, type StoredRole } from './record.ts';

const TABLE = roleRecord.table;

/**
 * Holds who may do what until the transaction ends: that an owner stays, and that nobody holds a role which is deleted,
 * are facts of many rows.
 */
export const lockRoles = (ctx: Ctx): Promise<void> => lockName(ctx.db, TABLE);

/** Throws a unique violation for a taken name. */
export const insert = async (ctx: Ctx, role: StoredRole): Promise<void> => {
  await ctx.db.knex(TABLE).insert(roleRecord.write(role));
};

/** Throws as `insert` does. */
export const update = async (ctx: Ctx, role: StoredRole): Promise<void> => {
  await ctx.db.knex(TABLE).where({ id: role.id }).update(roleRecord.write(role));
};

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.db.knex(TABLE).where({ id }).delete();
};

/** Replaces what a role holds. */
export async function setPermissions(
  ctx: Ctx,
  roleId: string,
  permissions: readonly string[],
): Promise<void> {
  await ctx.db.knex('role_permissions').where({ role_id: roleId }).delete();
  const created_at = ctx.now();
  const rows = permissions.map((permission) => ({ role_id: roleId, permission, created_at }));
  if (rows.length > 0) await ctx.db.knex('role_permissions').insert(rows);
}

/** Gives a user roles by their names; those that it has already stay. */
export async function give(ctx: Ctx, userId: string, names: readonly string[]): Promise<void> {
  const roles: { id: string }[] = await ctx.db
    .knex(TABLE)
    .whereIn('name', [...names])
    .select('id');
  const created_at = ctx.now();
  const rows = roles.map(({ id }) => ({ admin_user_id: userId, role_id: id, created_at }));
  if (rows.length > 0) await ctx.db.knex('admin_user_roles').insert(rows).onConflict().ignore();
}

/** Replaces the roles of a user. */
export async function setRolesOf(ctx: Ctx, userId: string, names: readonly string[]): Promise<void> {
  await ctx.db.knex('admin_user_roles').where({ admin_user_id: userId }).delete();
  await give(ctx, userId, names);
}

/** Replaces the rows that a user is confined to. */
export async function setScopesOf(ctx: Ctx, userId: string, scopes: Scopes): Promise<void> {
  await ctx.db.knex('admin_user_scopes').where({ admin_user_id: userId }).delete();
  const created_at = ctx.now();
  const rows = (Object.entries(scopes) as [ScopeKind, readonly string[]][]).flatMap(([kind, ids]) =>
    [...new Set(ids)].map((ref_id) => ({ admin_user_id: userId, kind, ref_id, created_at })),
  );
  if (rows.length > 0) await ctx.db.knex('admin_user_scopes').insert(rows);
}
