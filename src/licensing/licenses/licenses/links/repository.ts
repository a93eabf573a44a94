import type { Ctx } from '#kernel/context.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { PolicyLink } from '#licensing/catalog/products/index.ts';

/** Licenses by id outside the trash, locked in the order of their ids; unknown ones are left out. */
export async function lockPolicyLinks(ctx: Ctx, licenseIds: readonly string[]): Promise<PolicyLink[]> {
  const rows: { id: string; policy_id: string | null }[] = await visibleTo(ctx, ctx.db.knex('licenses'), {
    license_product: 'product_id',
  })
    .where({ tenant_id: ctx.tenantId })
    .whereNull('deleted_at')
    .whereIn('id', [...licenseIds])
    .orderBy('id')
    .forUpdate()
    .select('id', 'policy_id');
  return rows.map((row) => ({ id: row.id, policyId: row.policy_id }));
}

/** Names a policy on locked licenses, null for none; throws a foreign key violation when the policy is gone. */
export async function linkPolicy(
  ctx: Ctx,
  licenseIds: readonly string[],
  policyId: string | null,
): Promise<void> {
  await ctx.db
    .knex('licenses')
    .whereIn('id', [...licenseIds])
    .update({ policy_id: policyId, updated_at: ctx.now() });
}

/** Gives licenses, trashed ones too, to another customer; how many. */
export const moveToCustomer = (ctx: Ctx, from: string, into: string): Promise<number> =>
  ctx.db.knex('licenses').where({ customer_id: from }).update({ customer_id: into, updated_at: ctx.now() });
