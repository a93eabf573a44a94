import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { productRecord } from '#licensing/catalog/products/record.ts';
import { productResource } from '#licensing/catalog/products/resource.ts';
import { LICENSING_MODES, PRODUCT_STATUSES, PRODUCT_TYPES } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const named = () => ({ name: `Product ${made}`, slug: `product-${made++}` });

export const productSample: ResourceSample = {
  resource: productResource,
  rows: {
    'GET /products': 'licensing:read',
    'GET /products/export': 'licensing:read',
    'GET /products/{id}': 'licensing:read',
    'POST /products': 'licensing:write',
    'POST /products/bulk': 'licensing:write',
    'PATCH /products/{id}': 'licensing:write',
    'DELETE /products/{id}': 'licensing:danger',
    'POST /products/{id}/status': 'licensing:write',
  },
  make: async (ctx) => ({ id: (await products.create(ctx, named())).id }),
  bodies: {
    'POST /products': () => ({ ...named(), type: 'WEB', statementRequired: true, metadata: { team: 'web' } }),
    'PATCH /products/{id}': () => ({ ...named(), defaultDurationDays: null, note: 'renamed' }),
    'POST /products/{id}/status': () => ({ status: 'DISCONTINUED' }),
  },
  async seed(ctx, n) {
    const policy = (await policies.find(ctx, 'seeded')) ?? (await policies.create(ctx, { name: 'seeded' }));
    const format =
      (await keyFormats.find(ctx, 'seeded')) ??
      (await keyFormats.create(ctx, { name: 'seeded', prefix: 'SE', segments: 5 }));
    await seedRows(ctx, productRecord.table, n, (i) => {
      const id = ctx.newId(ids.product);
      return productRecord.write({
        id,
        tenantId: ctx.tenantId,
        // The first characters are what a spreadsheet would run.
        name: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
        slug: `seeded-${id.slice(4).toLowerCase()}`,
        type: PRODUCT_TYPES[i % PRODUCT_TYPES.length] as (typeof PRODUCT_TYPES)[number],
        status: PRODUCT_STATUSES[i % PRODUCT_STATUSES.length] as (typeof PRODUCT_STATUSES)[number],
        licensingMode: LICENSING_MODES[i % LICENSING_MODES.length] as (typeof LICENSING_MODES)[number],
        defaultLicenseType: 'PERPETUAL',
        defaultMaxActivations: 1,
        defaultDurationDays: null,
        policyId: i % 5 === 0 ? policy.id : null,
        keyFormatId: i % 4 === 0 ? format.id : null,
        prereleaseNeedsBeta: false,
        criticalUpdatesForExpired: false,
        statementRequired: false,
        metadata: i % 3 === 0 ? { team: 'web' } : {},
        createdAt: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
        updatedAt: ctx.now(),
      });
    });
  },
  filters: {
    q: '=SEED',
    status: 'DEPRECATED,DISCONTINUED',
    type: 'WEB',
    licensingMode: 'HONOR_SYSTEM',
    policyId: 'seeded',
    keyFormatId: 'seeded',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    metadata: 'team=web',
  },
  bulk: { action: 'status', params: { status: 'DEPRECATED' } },
};
