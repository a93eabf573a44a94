// Several processes that hear of the same orders at once: each unit has one license, and each refund takes one
// (fulfilment sections 5 and 6).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { register } from '#licensing/catalog/keys/index.ts';
import {
  create as createLicenseProduct,
  get as requireLicenseProduct,
} from '#licensing/catalog/products/index.ts';
import * as settings from '#platform/settings/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { linkToRelease } from '../../src/fulfilment/shopper/releases.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { bundleOf, published, keyOf as signingKeyOf } from '../licensing/release-fixture.ts';
import type { CheckoutWork } from '../support/checkout-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { DownloadWork } from '../support/download-process.ts';
import type { LicenseWork } from '../support/license-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;
const PROCESSES = 3;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<LicenseWork, Tally>[];
let buyer: Rival<CheckoutWork, Tally>;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  buyer = await startRival<CheckoutWork, Tally>('checkout-process.ts', installation.cwd, database.url);
  rivals = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startRival<LicenseWork, Tally>('license-process.ts', installation.cwd, database.url),
    ),
  );
}, 120_000);
afterAll(async () => {
  await Promise.all([...rivals, buyer].map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const knex = () => instance.database.db.knex;
type Row = { id: string; total_cents: number; order_number: string; item: string };

/** Orders of one licensed unit each, which nobody has paid. @param minimum units of an order */
async function ordered(name: string, shoppers: number, minimum = 1): Promise<Row[]> {
  const { id } = await createLicenseProduct(instance.ctx, { name, slug: name });
  const made = await products.create(instance.ctx, {
    title: name,
    type: 'license',
    minQuantity: minimum,
    variants: [{ sku: name, priceCents: 1900 }],
  });
  const variantId = (await products.getWhole(instance.ctx, made.id)).variants[0]?.id ?? '';
  await setGrant(instance.ctx, variantId, { licenseProductId: id, type: 'PERPETUAL', tier: 'PERSONAL' });
  await products.publish(instance.ctx, made.id);
  expect(await buyer.work({ name, variantId, shoppers })).toEqual({ placed: shoppers });
  return knex()('orders')
    .join('order_items', 'order_items.order_id', 'orders.id')
    .where('orders.email', 'like', `${name}-%`)
    .orderBy('orders.id')
    .select('orders.id', 'orders.total_cents', 'orders.order_number', 'order_items.id as item');
}
const countOf = async (table: string, where: object): Promise<number> =>
  Number((await knex()(table).where(where).count('* as n').first())?.n);
const total = (tallies: readonly Tally[], name: string): number =>
  tallies.reduce((sum, one) => sum + (one[name] ?? 0), 0);

it('a payment that several record at once makes one license for each order', async () => {
  const orders = await ordered('paid', 8);
  const pays = orders.map(({ id, total_cents }) => ({ order: id, cents: Number(total_cents) }));
  const retries = orders.map(({ id }) => id);
  const tallies = await Promise.all(rivals.map((one) => one.work({ pays, retries })));
  // One of them was first; what is paid already takes no more.
  expect(total(tallies, 'done')).toBe(orders.length * (1 + PROCESSES));
  for (const { order_number, id } of orders) {
    expect(await countOf('licenses', { order_id: order_number })).toBe(1);
    expect(await countOf('license_mints', { order_id: id, status: 'minted' })).toBe(1);
  }
  expect(await countOf('events', { type: 'LICENSE_CREATED' })).toBe(orders.length);
});

it('what is missing of an order is made once, whoever tries', async () => {
  const orders = await ordered('missing', 4, 3);
  for (const { id } of orders) {
    await instance.ctx.tx(({ db }) =>
      db
        .knex('orders')
        .where({ id })
        .update({
          payment_status: 'paid',
          paid_at: instance.ctx.now(),
          paid_cents: db.knex.ref('total_cents'),
        }),
    );
  }
  const retries = orders.flatMap(({ id }) => [id, id]);
  await Promise.all(rivals.map((one) => one.work({ retries })));
  for (const { order_number, id } of orders) {
    expect(await countOf('licenses', { order_id: order_number })).toBe(3);
    expect(await countOf('license_mints', { order_id: id, status: 'minted' })).toBe(3);
  }
});

it('refunds of single units at once take as many licenses, and the same refund takes one', async () => {
  const [order] = await ordered('back', 1, 6);
  if (!order) throw new Error('nothing was ordered');
  await rivals[0]?.work({ pays: [{ order: order.id, cents: Number(order.total_cents) }] });
  const refunds = (own: number) => [
    { order: order.id, item: order.item, key: `own-${own}` },
    { order: order.id, item: order.item, key: 'same' },
  ];
  const tallies = await Promise.all(rivals.map((one, at) => one.work({ refunds: refunds(at) })));
  expect(total(tallies, 'done')).toBe(2 * PROCESSES);
  expect(await countOf('license_mints', { order_id: order.id, status: 'revoked' })).toBe(PROCESSES + 1);
  expect(await countOf('licenses', { order_id: order.order_number, status: 'ACTIVE' })).toBe(2);
});

const stateOf = async (mintId: string) => {
  const row = await knex()('license_mints')
    .join('licenses', 'licenses.id', 'license_mints.license_id')
    .where('license_mints.id', mintId)
    .first('license_mints.status as mint', 'license_mints.wanted', 'licenses.status as license');
  return row as { mint: string; wanted: string; license: string };
};

it('staff who do different things with one license at once leave order and license of one mind', async () => {
  const [order] = await ordered('staff', 1, 4);
  if (!order) throw new Error('nothing was ordered');
  await rivals[0]?.work({ pays: [{ order: order.id, cents: Number(order.total_cents) }] });
  const mints: { id: string }[] = await knex()('license_mints').where({ order_id: order.id }).select('id');
  const ways = ['suspend', 'reinstate', 'revoke'] as const;
  const deeds = (deed: (typeof ways)[number]) => mints.map(({ id }) => ({ mint: id, deed }));
  const tallies = await Promise.all(
    rivals.map((one, at) => one.work({ deeds: deeds(ways[at] ?? 'revoke') })),
  );
  // Whoever comes late hears that the license is in no state for it.
  expect(
    Object.keys(Object.assign({}, ...tallies)).filter((name) => !['done', 'CONFLICT'].includes(name)),
  ).toEqual([]);
  for (const { id } of mints)
    expect(await stateOf(id)).toEqual({ mint: 'revoked', wanted: 'revoked', license: 'REVOKED' });
  const again = await Promise.all(rivals.map((one) => one.work({ deeds: deeds('suspend') })));
  expect(total(again, 'CONFLICT')).toBe(PROCESSES * mints.length);
});

it('the link of a release that several fetch at once is had by one of them', async () => {
  const [order] = await ordered('released', 1);
  if (!order) throw new Error('nothing was ordered');
  await rivals[0]?.work({ pays: [{ order: order.id, cents: Number(order.total_cents) }] });
  const { license_id: licenseId, product_id: productId } = await knex()('license_mints')
    .join('licenses', 'licenses.id', 'license_mints.license_id')
    .where('license_mints.order_id', order.id)
    .first('license_mints.license_id', 'licenses.product_id');
  const product = await requireLicenseProduct(instance.ctx, productId);
  await register(instance.ctx, product, { publicKey: signingKeyOf().publicKey, seed: null, label: null });
  const release = await published(instance.ctx, product, '1.0.0');
  const { link } = await linkToRelease(instance.ctx, licenseId, release.id);
  const tokens = Array.from({ length: 8 }, () => link.path.split('/').at(-1) ?? '');
  const fetchers = await Promise.all(
    [0, 1].map(() => startRival<DownloadWork, Tally>('download-process.ts', installation.cwd, database.url)),
  );
  const tallies = await Promise.all(fetchers.map((one) => one.work({ tokens })));
  await Promise.all(fetchers.map((one) => one.stop()));
  const bytes = bundleOf(`${product.slug} 1.0.0`).length;
  expect([total(tallies, String(bytes)), total(tallies, 'TOKEN_USED')]).toEqual([1, 15]);
});
