import * as customers from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { honeypotHitResource, honeypotResource } from '#licensing/insight/honeypots/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
/** What the filters name: only who seeds knows it. */
let seededProduct = '';

async function product(ctx: Parameters<ResourceSample['make']>[0]): Promise<string> {
  made += 1;
  return (await products.create(ctx, { name: 'Baited', slug: `baited-${made}` })).id;
}

export const honeypotSample: ResourceSample = {
  resource: honeypotResource,
  rows: {
    'GET /honeypots': 'licensing:read',
    'GET /honeypots/export': 'licensing:read',
    'GET /honeypots/{id}': 'licensing:read',
    'POST /honeypots': 'licensing:secrets',
    'DELETE /honeypots/{id}': 'licensing:write',
  },
  async make(ctx, operation) {
    const productId = await product(ctx);
    if (operation === 'POST /honeypots') return { product: productId };
    return {
      id: (await honeypots.create(ctx, { productId, label: 'wiki' })).honeypot.id,
      product: productId,
    };
  },
  bodies: { 'POST /honeypots': ({ product }) => ({ productId: product, label: 'wiki', blockIpSeconds: 60 }) },
  async seed(ctx, n) {
    const productId = await product(ctx);
    seededProduct = await product(ctx);
    const { id } = (await honeypots.create(ctx, { productId, label: 'copied' })).honeypot;
    const { id: customerId } = await customers.reuse(ctx, { email: 'plain@x.test' });
    const { knex } = ctx.db;
    const [license, key] = [
      await knex('licenses').where({ id }).first(),
      await knex('license_keys').where({ license_id: id }).first(),
    ];
    const licenseIds = Array.from({ length: n }, () => ctx.newId(ids.license));
    const keyIds = Array.from({ length: n }, () => ctx.newId(ids.licenseKey));
    await seedRows(ctx, 'licenses', n, (i) => ({
      ...license,
      id: licenseIds[i],
      product_id: i % 2 === 0 ? productId : seededProduct,
      honeypot: i % 3 !== 0,
      customer_id: i % 3 === 0 ? customerId : null,
      // What a spreadsheet would run.
      honeypot_label: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
    }));
    await seedRows(ctx, 'license_keys', n, (i) => ({
      ...key,
      id: keyIds[i],
      license_id: licenseIds[i],
      digest: `seeded ${keyIds[i]}`,
      key_enc: ctx.keyring.seal('license-key', `SEED-${i}`, licenseIds[i] as string),
      created_at: i % 3 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
    }));
    await seedRows(ctx, 'license_honeypot_hits', Math.floor(n / 2), (i) => ({
      id: ctx.newId(ids.honeypotHit),
      license_key_id: keyIds[i],
      hour: ctx.now().slice(0, 13),
      ip: '203.0.113.7',
      endpoint: '/api/v1/license/validate',
      count: 1 + (i % 5),
      first_at: ctx.now(),
      last_at: ctx.now(),
      created_at: ctx.now(),
    }));
    await ctx.tx(async ({ db }) => void (await db.knex('licenses').where({ id }).delete()));
    // As the database does by itself after a while: it would go through all keys for each license.
    if (ctx.db.dialect === 'postgres')
      await knex.raw('ANALYZE licenses, license_keys, license_honeypot_hits');
  },
  filters: {
    kind: 'CANARY',
    used: 'true',
    q: 'seeded 1',
    get productId() {
      return seededProduct;
    },
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
  },
};

export const honeypotHitSample: ResourceSample = {
  resource: honeypotHitResource,
  rows: {
    'GET /honeypots/{id}/hits': 'licensing:read',
    'GET /honeypots/{id}/hits/export': 'licensing:read',
  },
  async make(ctx) {
    const productId = await product(ctx);
    return { id: (await honeypots.create(ctx, { productId, label: 'wiki' })).honeypot.id };
  },
  bodies: {},
  async seed(ctx, n) {
    const { id = '' } = await this.make(ctx, '');
    const key = await ctx.db.knex('license_keys').where({ license_id: id }).first('id');
    await seedRows(ctx, 'license_honeypot_hits', n, (i) => {
      const at = i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now();
      return {
        id: ctx.newId(ids.honeypotHit),
        license_key_id: key.id,
        hour: at.slice(0, 13),
        ip: i % 5 === 0 ? `203.0.113.${i}` : `10.0.${i >> 8}.${i & 255}`,
        endpoint: i % 3 === 0 ? '/api/v1/license/validate' : '/api/v1/license/activate',
        machine_id: i % 4 === 0 ? 'seeded-machine' : null,
        // What a spreadsheet would run.
        user_agent: i % 7 === 0 ? '=curl' : null,
        count: 1 + (i % 5),
        first_at: at,
        last_at: at,
        created_at: at,
      };
    });
    return { id };
  },
  filters: {
    ip: '10.0.0.1',
    endpoint: 'VALIDATE',
    machineId: 'seeded-machine',
    q: '=curl',
    from: '2021-01-01T00:00:00Z',
    to: '2021-01-01T00:00:00Z',
  },
};
