import { ids } from '#licensing/contract/ids.ts';
import { usageResource } from '#licensing/licenses/usage/resource.ts';
import type { ResourceSample } from '../../support/resource-sample.ts';
import { mintedLicense, seededProduct, seedLicenses } from './minted.ts';

export const usageSample: ResourceSample = {
  resource: usageResource,
  rows: {
    'GET /usage': 'licensing:read',
    'GET /usage/export': 'licensing:read',
    'GET /usage/{id}': 'licensing:read',
    'POST /usage/bulk': 'licensing:write',
    'POST /usage/{id}/reset': 'licensing:write',
    'POST /usage/{id}/raise-limit': 'licensing:write',
  },
  make: async (ctx) => ({ id: (await mintedLicense(ctx, { maxUses: 10 })).id }),
  bodies: {
    'POST /usage/{id}/reset': () => ({ note: 'a new year' }),
    'POST /usage/{id}/raise-limit': () => ({ maxUses: 20 }),
  },
  async seed(ctx, n) {
    const product_id = await seededProduct(ctx);
    const [first] = await seedLicenses(ctx, n, (i) => ({
      max_uses: 10,
      current_uses: i % 11,
      ...(i % 2 === 1 && { product_id }),
    }));
    const license = await ctx.db.knex('licenses').where({ id: first }).first('tenant_id', 'usage_epoch');
    await ctx.db.knex('license_usage').insert({
      id: ctx.newId(ids.usageRecord),
      license_id: first,
      epoch: license.usage_epoch,
      tenant_id: license.tenant_id,
      feature: 'render',
      quantity: 1,
      counter_after: 1,
      at: ctx.now(),
    });
  },
  idField: 'licenseId',
  filters: { productId: 'seeded', feature: 'render', level: 'WARNING' },
  bulk: { action: 'reset' },
};
