import type { Ctx } from '#kernel/context.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';

/** What decides about a license in the trash. */
export interface Trashable {
  status: LicenseStatus;
  validUntil: string | null;
  /** null: it is not in the trash. */
  deletedAt: string | null;
}

/** Locks a license inside or outside the trash; null when unknown, of another tenant, or a honeypot (D131). */
export async function lock(ctx: Ctx, id: string): Promise<Trashable | null> {
  const license = ctx.db.knex('licenses').where({ id, tenant_id: ctx.tenantId, honeypot: false });
  const row: { status: LicenseStatus; valid_until: string | null; deleted_at: string | null } | undefined =
    await visibleTo(ctx, license, { license_product: 'product_id' })
      .forUpdate()
      .first('status', 'valid_until', 'deleted_at');
  return row ? { status: row.status, validUntil: row.valid_until, deletedAt: row.deleted_at } : null;
}

/** Puts a locked license into the trash and frees its idempotency keys (D42). */
export async function trash(ctx: Ctx, id: string): Promise<void> {
  const { knex } = ctx.db;
  const now = ctx.now();
  await knex('licenses').where({ id }).update({ deleted_at: now, updated_at: now });
  await knex('license_idempotency').where({ license_id: id }).delete();
}

/** Takes a locked license out of the trash. */
export async function restore(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex('licenses').where({ id }).update({ deleted_at: null, updated_at: ctx.now() });
}

/**
 * Deletes a license from the trash, with its keys, activations, usage and whatever else hangs on it.
 *
 * @param before ISO 8601 UTC: only when it was put there at this time or earlier
 * @returns false when it is not there any more
 */
export const purge = async (ctx: Ctx, id: string, before: string): Promise<boolean> =>
  (await visibleTo(ctx, ctx.db.knex('licenses'), { license_product: 'product_id' })
    .where({ id, tenant_id: ctx.tenantId })
    .where('deleted_at', '<=', before)
    .delete()) === 1;

/** Licenses of all tenants that were put into the trash at this time or earlier, the oldest first. */
export async function listDue(
  ctx: Ctx,
  before: string,
  limit: number,
): Promise<{ id: string; tenantId: string }[]> {
  const rows: { id: string; tenant_id: string }[] = await ctx.db
    .knex('licenses')
    .where('deleted_at', '<=', before)
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(limit)
    .select('id', 'tenant_id');
  return rows.map((row) => ({ id: row.id, tenantId: row.tenant_id }));
}
