import * as customers from '#licensing/catalog/customers/index.ts';
import { customerRecord } from '#licensing/catalog/customers/record.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import { customerResource } from '#licensing/licenses/holders/resource.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const address = () => `customer${made++}@x.test`;

export const customerSample: ResourceSample = {
  resource: customerResource,
  rows: {
    'GET /customers': 'licensing:read',
    'GET /customers/export': 'licensing:read',
    'GET /customers/{id}': 'licensing:read',
    'GET /customers/{id}/export': 'licensing:read',
    'POST /customers': 'licensing:write',
    'PATCH /customers/{id}': 'licensing:write',
    'POST /customers/{id}/merge': 'licensing:write',
    'POST /customers/{id}/anonymize': 'licensing:danger',
  },
  make: async (ctx) => ({
    id: (await customers.create(ctx, { email: address() })).id,
    into: (await customers.create(ctx, { email: address() })).id,
  }),
  bodies: {
    'POST /customers': () => ({ email: address(), name: 'Ann', metadata: { vat: 'x' } }),
    'PATCH /customers/{id}': () => ({ email: address(), name: null, note: 'moved' }),
    'POST /customers/{id}/merge': ({ into }) => ({ intoCustomerId: into }),
    'POST /customers/{id}/anonymize': () => ({ note: 'asked by letter' }),
  },
  async seed(ctx, n) {
    let first = '';
    await seedRows(ctx, customerRecord.table, n, (i) => {
      const id = ctx.newId(ids.customer);
      first ||= `${id.toLowerCase()}@x.test`;
      return customerRecord.write({
        id,
        tenantId: ctx.tenantId,
        email: `${id.toLowerCase()}@x.test`,
        // The first characters are what a spreadsheet would run.
        name: i % 5 === 0 ? null : `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
        metadata: i % 3 === 0 ? { team: 'web' } : {},
        anonymizedAt: i % 11 === 3 ? ctx.now() : null,
        createdAt: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
        updatedAt: ctx.now(),
      });
    });
    if (n === 0) return;
    const known = await products.find(ctx, 'seeded-for-customers');
    const product = known ?? (await products.create(ctx, { name: 'Seeded', slug: 'seeded-for-customers' }));
    await licenses.create(
      ctx,
      { productId: product.id, type: 'PERPETUAL', customerEmail: first },
      { source: 'CLI', idempotency: null },
    );
    const email = 'only@x.test';
    if (!(await customers.find(ctx, email))) await renamed(ctx, first, email);
  },
  filters: {
    email: 'only@x.test',
    productId: 'seeded-for-customers',
    active: 'true',
    erased: 'true',
    metadata: 'team=web',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    q: 'seeded 1',
  },
};

/** One has an address that a filter can name. */
const renamed = (ctx: Parameters<typeof customers.update>[0], from: string, email: string) =>
  customers.update(ctx, from, { email });
