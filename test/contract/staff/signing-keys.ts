import { randomBytes } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, keyIdOf, signingKeyOf } from '#kernel/ed25519.ts';
import * as keys from '#licensing/catalog/keys/index.ts';
import { signingKeyRecord } from '#licensing/catalog/keys/record.ts';
import { onlineKeyResource, signingKeyResource } from '#licensing/catalog/keys/resource.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

let made = 0;
const newProduct = (ctx: Ctx) => products.create(ctx, { name: 'Signed', slug: `signed-${made++}` });
const named = async (ctx: Ctx, slug: string) =>
  (await products.find(ctx, slug)) ?? (await products.create(ctx, { name: slug, slug }));

/** The one that a filter names. */
const KNOWN = Buffer.alloc(32, 7);

/** None of them is ACTIVE: a product has one at most. */
async function seedKeys(ctx: Ctx, n: number, role: 'ROOT' | 'ONLINE'): Promise<void> {
  const owners = [await named(ctx, `many-${role.toLowerCase()}`), await named(ctx, 'few-keys')];
  await seedRows(ctx, signingKeyRecord.table, n, (i) => {
    const publicKey = i === 0 ? KNOWN : randomBytes(32);
    return {
      id: ctx.newId(ids.signingKey),
      tenant_id: ctx.tenantId,
      product_id: owners[i % 5 === 1 ? 1 : 0]?.id,
      role,
      key_id: keyIdOf(publicKey),
      public_key: publicKey.toString('base64'),
      private_key: role === 'ONLINE' || i % 3 === 0 ? 'sealed' : null,
      status: i % 2 === 0 ? 'NEXT' : 'RETIRED',
      label: `${i % 7 === 0 ? '=' : ''}seeded ${i}`,
      created_at: i % 2 === 0 ? '2020-01-01T00:00:00.000Z' : ctx.now(),
      updated_at: ctx.now(),
    };
  });
}

const filters = {
  productId: 'few-keys',
  product: 'few-keys',
  keyId: keyIdOf(KNOWN),
  status: 'NEXT',
  createdFrom: '2021-01-01T00:00:00Z',
  createdTo: '2021-01-01T00:00:00Z',
  q: 'few-keys',
};

/** What a row is sorted by has other names in it. */
const sorts = { product: (item: Record<string, unknown>) => item.product };

export const signingKeySample: ResourceSample = {
  resource: signingKeyResource,
  rows: {
    'GET /signing-keys': 'licensing:read',
    'GET /signing-keys/export': 'licensing:read',
    'GET /signing-keys/{keyId}': 'licensing:read',
    'GET /signing-keys/{keyId}/bridges': 'licensing:read',
    'POST /signing-keys/{keyId}/activate': 'licensing:secrets',
    'POST /signing-keys/{keyId}/retire': 'licensing:secrets',
  },
  async make(ctx) {
    const { publicKey } = signingKeyOf(generateSeed());
    const key = { publicKey, seed: null, label: 'made' };
    return { keyId: (await keys.register(ctx, await newProduct(ctx), key)).keyId };
  },
  bodies: {
    'POST /signing-keys/{keyId}/activate': () => ({ strandOldClients: true, note: 'now' }),
    'POST /signing-keys/{keyId}/retire': () => ({ note: 'leaked' }),
  },
  seed: (ctx, n) => seedKeys(ctx, n, 'ROOT'),
  filters: { ...filters, serverHeld: 'true' },
  sorts,
};

export const onlineKeySample: ResourceSample = {
  resource: onlineKeyResource,
  rows: {
    'GET /online-keys': 'licensing:read',
    'GET /online-keys/export': 'licensing:read',
    'GET /online-keys/{keyId}': 'licensing:read',
  },
  make: async (ctx) => ({ keyId: (await keys.createOnline(ctx, (await newProduct(ctx)).id)).keyId }),
  bodies: {},
  seed: (ctx, n) => seedKeys(ctx, n, 'ONLINE'),
  filters,
  sorts,
};
