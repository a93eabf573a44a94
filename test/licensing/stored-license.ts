// Licenses as rows, for tests of what refers to them.
import * as customers from '#licensing/catalog/customers/index.ts';
import type { TestContext } from '../support/context.ts';

/**
 * Writes an active perpetual license straight into its table.
 * @param license its product, and the time it was put into the trash, if it was
 * @returns its id
 */
export async function insertLicense(
  { ctx, database }: Pick<TestContext, 'ctx' | 'database'>,
  license: { productId: string; deletedAt?: string },
): Promise<string> {
  const id = ctx.newId('lic');
  const now = ctx.now();
  const customer = await customers.reuse(ctx, { email: 'ann@x.test' });
  await database.transaction(async ({ knex }) => {
    await knex('licenses').insert({
      id,
      tenant_id: ctx.tenantId,
      product_id: license.productId,
      customer_id: customer.id,
      type: 'PERPETUAL',
      tier: 'PERSONAL',
      status: 'ACTIVE',
      max_activations: 1,
      current_uses: 0,
      metadata: '{}',
      source: 'CLI',
      deleted_at: license.deletedAt ?? null,
      created_at: now,
      updated_at: now,
    });
  });
  return id;
}
