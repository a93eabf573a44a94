import type { Ctx } from '#kernel/context.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { LicenseSource, LicenseType } from '#licensing/contract/enumerations.ts';

/** A canary as it is inserted. */
export interface NewCanary {
  id: string;
  productId: string;
  type: LicenseType;
  label: string;
  blockIpSeconds: number | null;
  source: LicenseSource;
  now: string;
}

/** Inserts the license that no one holds, without its key. */
export async function insertCanary(ctx: Ctx, one: NewCanary): Promise<void> {
  await ctx.db.knex('licenses').insert({
    id: one.id,
    tenant_id: ctx.tenantId,
    product_id: one.productId,
    type: one.type,
    tier: 'PERSONAL',
    status: 'ACTIVE',
    max_activations: 1,
    current_uses: 0,
    metadata: '{}',
    source: one.source,
    honeypot: true,
    honeypot_label: one.label,
    block_ip_seconds: one.blockIpSeconds,
    created_at: one.now,
    updated_at: one.now,
  });
}

/** Deletes a canary with its key and its hits; false when the tenant has none with this id. */
export const removeCanary = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await visibleTo(ctx, ctx.db.knex('licenses'), { license_product: 'product_id' })
    .where({ id, tenant_id: ctx.tenantId, honeypot: true })
    .delete()) === 1;
