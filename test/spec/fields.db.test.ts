// The specification's tables of fields of releases, of purchases that come in, and of pages of a list.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleOf, drafted, keyOf, published, signedProduct } from '../licensing/release-fixture.ts';
import type { MadeKey } from '../support/app.ts';
import { openShop, purchase, secret } from '../support/inbound.ts';
import { row } from './rows.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let owner: MadeKey;
beforeAll(async () => {
  world = await openWorld();
  owner = await world.adminToken('owner');
});
afterAll(() => world.close());

const DAY_MS = 86_400_000;

it(row('fields', 'ReleaseInfo'), async () => {
  const product = await signedProduct(world.ctx, 'reader');
  const bytes = bundleOf('reader 1.1.0-beta.1');
  const digest = createHash('sha256').update(bytes).digest();
  const more = { channel: 'beta', changelog: 'Faster', isCritical: true, requiresMigration: true } as const;
  const read = async (id: string) => (await world.admin(`/releases/${id}`, owner)).body.release;
  const { id, publishedAt } = await published(world.ctx, product, '1.1.0-beta.1', more);
  expect(await read(id)).toMatchObject({
    version: '1.1.0-beta.1',
    channel: 'beta',
    changelog: 'Faster',
    bundleFilename: 'app-1.1.0-beta.1.zip',
    bundleSize: bytes.length,
    bundleSha256: digest.toString('hex'),
    signature: keyOf().sign(digest).toString('base64'),
    isCritical: true,
    requiresMigration: true,
    publishedAt,
  });
  expect(publishedAt).toBe(world.ctx.now());
  const draft = await drafted(world.ctx, product, '1.2.0');
  expect(await read(draft.id)).toMatchObject({
    channel: 'stable',
    isCritical: false,
    requiresMigration: false,
    publishedAt: null,
  });
});

it(row('fields', 'Inbound webhook configuration'), async () => {
  const input = { name: 'card', processor: 'STRIPE', signingSecret: secret };
  const { status, body } = await world.admin('/integrations', owner, { body: input });
  const { id } = body.integration as unknown as { id: string };
  expect([status, body.integration, body.endpointUrl]).toMatchObject([
    201,
    { processor: 'STRIPE' },
    expect.stringContaining(`/api/v1/webhooks/inbound/${id}`),
  ]);
  expect(JSON.stringify(body)).not.toContain(secret);
  for (const wrong of [{ processor: 'OTHER' }, { processor: 'WALLET' }, { signingSecret: '' }]) {
    const refused = await world.admin('/integrations', owner, { body: { ...input, name: 'x', ...wrong } });
    expect([wrong, refused.status, refused.body.error?.code]).toEqual([wrong, 400, 'VALIDATION_ERROR']);
  }
});

const MAPPED = 'Product mapping: externalProductId, productId, licenseType, licenseTier, maxActivations';
it(row('fields', MAPPED), async () => {
  const shop = await openShop(world, 'GENERIC');
  const path = `/integrations/${shop.id}/mappings`;
  const { id: productId } = await world.product();
  const terms = { licenseTier: 'BUSINESS', maxActivations: 7, durationDays: 30 };
  for (const licenseType of ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA']) {
    const mapping = { externalProductId: licenseType, productId, licenseType, ...terms };
    const { status, body } = await world.admin(path, owner, { body: mapping });
    expect([status, body.mapping]).toMatchObject([200, mapping]);
    await shop.send(purchase(licenseType, { items: [{ productId: licenseType, quantity: 1 }] }));
  }
  const bought = await shop.licenses();
  expect(bought.map(({ type }) => type).sort()).toEqual(['BETA', 'PERPETUAL', 'SUBSCRIPTION', 'TRIAL']);
  for (const license of bought) {
    const facts = { product_id: productId, tier: 'BUSINESS', max_activations: 7 };
    expect(license).toMatchObject(facts);
  }
  for (const wrong of [{ licenseType: 'FLOATING' }, { licenseTier: 'GOLD' }, { maxActivations: 1.5 }]) {
    const body = { externalProductId: 'other', productId, ...terms, ...wrong };
    expect([wrong, (await world.admin(path, owner, { body })).status]).toEqual([wrong, 400]);
  }
});

it(row('fields', 'Product mapping: durationDays'), async () => {
  const shop = await openShop(world, 'GENERIC');
  await shop.map('dated', { licenseType: 'SUBSCRIPTION', durationDays: 30 });
  await shop.map('endless', { licenseType: 'PERPETUAL', durationDays: null });
  const buy = async (productId: string) => {
    const before = new Set((await shop.licenses()).map(({ id }) => id));
    await shop.send(purchase(productId, { items: [{ productId, quantity: 1 }] }));
    return (await shop.licenses()).find(({ id }) => !before.has(id));
  };
  const in30Days = new Date(world.clock.epochMs() + 30 * DAY_MS).toISOString();
  expect(await buy('dated')).toMatchObject({ valid_until: in30Days });
  expect(await buy('endless')).toMatchObject({ valid_until: null });
});

it(row('fields', 'Processed events: processorEventId'), async () => {
  const shop = await openShop(world, 'GENERIC');
  await shop.map('price_1');
  for (const id of ['one', 'two', 'one']) await shop.send(purchase(id));
  const ids = (await shop.events()).map(({ processorEventId }) => processorEventId);
  expect(ids.sort()).toEqual(['one', 'two']);
  expect(await shop.licenses()).toHaveLength(2);
});

it(row('fields', 'Pagination envelope'), async () => {
  const own = await openWorld();
  try {
    for (let n = 0; n < 5; n++) await own.product();
    const ask = async (query: string) => {
      const { body } = await own.get(`/api/v1/products${query}`, own.key);
      return [body.pagination, (body.products as unknown as object[]).length];
    };
    expect(await ask('')).toEqual([{ page: 1, limit: 50, total: 5, totalPages: 1 }, 5]);
    expect(await ask('?limit=2')).toEqual([{ page: 1, limit: 2, total: 5, totalPages: 3 }, 2]);
    expect(await ask('?page=3&limit=2')).toEqual([{ page: 3, limit: 2, total: 5, totalPages: 3 }, 1]);
    expect(await ask('?page=4&limit=2')).toEqual([{ page: 4, limit: 2, total: 5, totalPages: 3 }, 0]);
  } finally {
    await own.close();
  }
});
