import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { type HeldRow, heldColumns, permissionsColumn } from '../roles/index.ts';
import { type AdminToken, adminTokenRecord } from './record.ts';

/** What authentication needs of a row. */
export interface Credential extends HeldRow {
  id: string;
  name: string;
  role: string;
  /** Of its role, where that is one of the installation's own. */
  role_permissions: string | null;
  tenant_id: string | null;
  scopes: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  admin_user_id: string | null;
  admin_generation: number | null;
  password_proven_at: string | null;
  /** Of its user as it is now; null for a token of nobody, and of somebody who is gone. */
  email: string | null;
  status: string | null;
  session_generation: number | null;
  must_change_password: unknown;
  second_factor_since: string | null;
}

const TABLE = adminTokenRecord.table;

const byHash = statement<{ hash: string }, Credential>((q, p) =>
  q(`${TABLE} as t`)
    .leftJoin('admin_users as u', 'u.id', 't.admin_user_id')
    .leftJoin('second_factors as f', 'f.subject_id', 't.admin_user_id')
    .where('t.token_hash', p('hash'))
    .select(
      't.id',
      't.name',
      't.role',
      't.tenant_id',
      't.scopes',
      't.expires_at',
      't.revoked_at',
      't.last_used_at',
      't.admin_user_id',
      't.admin_generation',
      't.password_proven_at',
      'u.email',
      'u.status',
      'u.session_generation',
      'u.must_change_password',
      'f.enabled_at as second_factor_since',
      permissionsColumn(q, 't.role'),
      ...heldColumns(q, 'u.id'),
    ),
);

/** The row of a token, by the keyed hash of what was presented: the look-up is the comparison (M10). */
export const findCredential = (ctx: Ctx, hash: string): Promise<Credential | undefined> =>
  byHash.first(ctx.db, { hash });

const touch = statement<{ id: string; now: string; before: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .andWhere((where) => where.whereNull('last_used_at').orWhere('last_used_at', '<=', p('before')))
    .update({ last_used_at: p('now') }),
);

/** Writes `last_used_at` unless it is later than `before`. */
export const touchLastUsed = (
  ctx: Ctx,
  params: { id: string; now: string; before: string },
): Promise<number> => touch.run(ctx.db, params);

export async function insert(
  ctx: Ctx,
  token: AdminToken,
  beside: { tokenHash: string; adminGeneration: number | null; passwordProvenAt: string | null },
): Promise<void> {
  const { createdAt: updatedAt } = token;
  await ctx.db
    .knex(TABLE)
    .insert(adminTokenRecord.write(token, { ...beside, createdBy: ctx.actor.label, updatedAt }));
}

/**
 * Narrows a query over tokens, called `t`, to those that open the ctx's tenant: its own, and those of the whole
 * installation. Who is confined to a tenant sees those of the tenant, who is confined to products itself, or those that
 * it signed in with.
 */
export function opening({ actor, tenantId }: Ctx, tokens: Knex.QueryBuilder): Knex.QueryBuilder {
  const ofTenant = { 't.tenant_id': tenantId };
  const ofActor = { 't.admin_user_id': actor.id };
  if (scopeOf(actor, 'license_product'))
    return tokens.where((own) => own.where(ofActor).orWhere({ 't.id': actor.id }));
  if (scopeOf(actor, 'tenant')) return tokens.where((own) => own.where(ofTenant).orWhere(ofActor));
  return tokens.where((either) => either.where(ofTenant).orWhereNull('t.tenant_id'));
}

export async function find(ctx: Ctx, id: string): Promise<AdminToken | null> {
  const row: object | undefined = await opening(ctx, ctx.db.knex(`${TABLE} as t`))
    .where({ 't.id': id })
    .first();
  return row ? adminTokenRecord.read(row) : null;
}

/** Whether this call ended the token: false when it had ended before. */
export async function revoke(ctx: Ctx, id: string, now: string): Promise<boolean> {
  const changed = await ctx.db
    .knex(TABLE)
    .where({ id })
    .whereNull('revoked_at')
    .update({ revoked_at: now, updated_at: now });
  return changed === 1;
}

/** Ends the tokens that a user signed in with. */
export async function revokeOfUser(ctx: Ctx, userId: string): Promise<void> {
  const now = ctx.now();
  await ctx.db
    .knex(TABLE)
    .where({ admin_user_id: userId })
    .whereNull('revoked_at')
    .update({ revoked_at: now, updated_at: now });
}

/** Notes that the user of a token has proven the password. */
export async function noteProof(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).update({ password_proven_at: ctx.now() });
}
