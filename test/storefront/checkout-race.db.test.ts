// Shoppers of several processes who reach for the last units, and for the last use of a code: each is sold once
// (storefront-domain P1, P10, P16).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import type { CheckoutWork } from '../support/checkout-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<CheckoutWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  rivals = await Promise.all(
    [1, 2].map(() => startRival<CheckoutWork, Tally>('checkout-process.ts', installation.cwd, database.url)),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const knex = () => instance.database.db.knex;

/** A variant that needs no shipping, of which there are so many. */
async function stocked(name: string, stock: number): Promise<string> {
  const { variants } = await products.getWhole(
    instance.ctx,
    (
      await products.create(instance.ctx, {
        title: name,
        type: 'digital',
        status: 'active',
        variants: [{ sku: name, priceCents: 1900, requiresShipping: false, stock }],
      })
    ).id,
  );
  return variants[0]?.id ?? '';
}

/** Each process sends so many shoppers at once. */
async function rush(work: CheckoutWork): Promise<Tally> {
  const tally: Tally = {};
  for (const one of await Promise.all(rivals.map((rival) => rival.work(work))))
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const ordersOf = (name: string): Promise<{ order_number: string }[]> =>
  knex()('orders').where('email', 'like', `${name}-%`).whereNotNull('placed_at').select('order_number');

it('sells each unit once: as many orders as there are units, none below', async () => {
  const variantId = await stocked('last-units', 10);
  const tally = await rush({ name: 'units', variantId, shoppers: 30 });
  expect(tally).toEqual({ placed: 10, OUT_OF_STOCK: 50 });
  const orders = await ordersOf('units');
  expect([orders.length, new Set(orders.map((one) => one.order_number)).size]).toEqual([10, 10]);
  const level = await knex()('inventory_levels')
    .where({ variant_id: variantId })
    .first('on_hand', 'reserved');
  expect(level).toEqual({ on_hand: 0, reserved: 0 });
}, 60_000);

it('gives the last use of a code to one order; nobody else gets it, and nobody pays another total', async () => {
  const variantId = await stocked('last-code', 100);
  const { id } = await promotions.create(instance.ctx, {
    name: 'Once',
    code: 'ONCE',
    type: 'coupon',
    effect: 'percent',
    percentBps: 1000,
    usageLimit: 1,
    status: 'active',
  });
  const tally = await rush({ name: 'code', variantId, shoppers: 10, code: 'ONCE' });
  expect(Object.values(tally).reduce((sum, times) => sum + times, 0)).toBe(20);
  const uses = await knex()('promotion_redemptions').where({ promotion_id: id, status: 'used' });
  expect(uses).toHaveLength(1);
  const discounted = await knex()('orders')
    .where('item_discount_cents', '>', 0)
    .orWhere('order_discount_cents', '>', 0);
  expect(discounted).toHaveLength(1);
}, 60_000);
