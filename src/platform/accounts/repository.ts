import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';

export interface AdminUser {
  id: string;
  email: string;
  name: string;
  status: 'invited' | 'active' | 'disabled';
  createdAt: string;
}

/** The account that `setup` made, or null. */
export async function findOwner(ctx: Ctx): Promise<AdminUser | null> {
  const row = await ctx.db.knex('admin_users').where({ founder: true }).first();
  return row
    ? { id: row.id, email: row.email, name: row.name, status: row.status, createdAt: row.created_at }
    : null;
}

/** Inserts the owner; answers false when another setup was first. */
export async function insertOwner(
  ctx: Ctx,
  user: AdminUser,
  emailNorm: string,
  passwordHash: string,
): Promise<boolean> {
  try {
    await ctx.db.knex('admin_users').insert({
      id: user.id,
      email: user.email,
      email_norm: emailNorm,
      name: user.name,
      password_hash: passwordHash,
      status: user.status,
      founder: true,
      created_at: user.createdAt,
      updated_at: user.createdAt,
    });
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
  const role = await ctx.db.knex('roles').where({ name: 'owner' }).first('id');
  await ctx.db
    .knex('admin_user_roles')
    .insert({ admin_user_id: user.id, role_id: role.id, created_at: user.createdAt });
  return true;
}

/** Replaces the owner's address, name and password. */
export async function replaceOwner(
  ctx: Ctx,
  id: string,
  changed: { email: string; emailNorm: string; name: string; passwordHash: string },
): Promise<void> {
  await ctx.db.knex('admin_users').where({ id }).update({
    email: changed.email,
    email_norm: changed.emailNorm,
    name: changed.name,
    password_hash: changed.passwordHash,
    status: 'active',
    updated_at: ctx.now(),
  });
}
