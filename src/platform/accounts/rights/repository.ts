import type { Ctx } from '#kernel/context.ts';
import { adminUserRecord } from '../record.ts';

const TABLE = adminUserRecord.table;

/** Disables an account. Its sessions and the tokens that it signed in with have another generation than it then. */
export async function disable(ctx: Ctx, id: string): Promise<void> {
  const { knex } = ctx.db;
  await knex(TABLE)
    .where({ id })
    .update({
      status: 'disabled',
      session_generation: knex.raw('session_generation + 1'),
      updated_at: ctx.now(),
    });
}

/** Enables an account; one that has no password yet is invited again. */
export async function enable(ctx: Ctx, id: string): Promise<void> {
  const { knex } = ctx.db;
  await knex(TABLE)
    .where({ id })
    .update({
      status: knex.raw("CASE WHEN password_hash IS NULL THEN 'invited' ELSE 'active' END"),
      failed_sign_ins: 0,
      locked_until: null,
      updated_at: ctx.now(),
    });
}

/** Notes that what an account may do or see has changed. */
export async function touch(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).update({ updated_at: ctx.now() });
}

/** Deletes an account with its roles, scopes and sessions. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}
