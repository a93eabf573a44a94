import * as tenants from '#platform/tenants/index.ts';
import { tenantRecord } from '#platform/tenants/record.ts';
import { tenantResource } from '#platform/tenants/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const named = () => ({ name: `Vendor ${made}`, slug: `vendor-${made++}` });

export const tenantSample: ResourceSample = {
  resource: tenantResource,
  rows: {
    'GET /tenants': 'licensing:read',
    'GET /tenants/export': 'licensing:read',
    'GET /tenants/{id}': 'licensing:read',
    'POST /tenants': 'licensing:danger',
    'POST /tenants/bulk': 'licensing:danger',
    'PATCH /tenants/{id}': 'licensing:danger',
    'POST /tenants/{id}/suspend': 'licensing:danger',
    'POST /tenants/{id}/resume': 'licensing:danger',
    'POST /tenants/{id}/reinstate': 'licensing:danger',
  },
  async make(ctx, operation) {
    const tenant = await tenants.create(ctx, named());
    if (/resume|reinstate/.test(operation)) await tenants.suspend(ctx, tenant.id);
    return { id: tenant.id };
  },
  bodies: {
    'POST /tenants': () => ({ ...named(), hostnames: [`keys-${made++}.example.com`] }),
    'POST /tenants/bulk': ({ id }) => ({ action: 'suspend', ids: [id] }),
    'PATCH /tenants/{id}': () => ({ ...named(), defaultKeyFormatId: null, note: 'renamed' }),
    'POST /tenants/{id}/suspend': () => ({ note: 'unpaid' }),
    'POST /tenants/{id}/resume': () => ({}),
    'POST /tenants/{id}/reinstate': () => ({}),
  },
  seed: (ctx, n) =>
    seedRows(ctx, tenantRecord.table, n, (i) => {
      const id = ctx.newId(tenants.tenantIds.tenant);
      return tenantRecord.write({
        id,
        slug: `seeded-${id.slice(4).toLowerCase()}`,
        // The first characters are what a spreadsheet would run.
        name: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
        hostnames: [],
        status: i % 3 === 0 ? 'SUSPENDED' : 'ACTIVE',
        defaultKeyFormatId: null,
        createdAt: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
        updatedAt: ctx.now(),
      });
    }),
  everyTenant: true,
  filters: {
    status: 'SUSPENDED',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    q: 'seeded 1',
  },
};
