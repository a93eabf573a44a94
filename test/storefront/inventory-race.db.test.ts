// Stock that several processes reach for at once: the last unit is sold once (storefront-domain P1, P2).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { ReserveWork } from '../support/reserve-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<ReserveWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<ReserveWork, Tally>('reserve-process.ts', installation.cwd, database.url),
    ),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

let made = 0;
/** Variants with so much in stock each. */
async function variants(count: number, stock: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const sku = `RACE-${++made}`;
    const product = await products.create(instance.ctx, {
      title: sku,
      type: 'physical',
      variants: [{ sku, priceCents: 100, stock, ...more }],
    });
    const [variant] = (await products.getWhole(instance.ctx, product.id)).variants;
    ids.push(variant?.id ?? '');
  }
  return ids;
}

/** So many orders at once, an equal number from each process. */
async function fight(count: number, work: Omit<ReserveWork, 'orders'>): Promise<Tally> {
  const name = `order-${++made}`;
  const orders = Array.from({ length: count }, (_, at) => `${name}-${at}`);
  const each = await Promise.all(
    rivals.map((one, side) => one.work({ ...work, orders: orders.filter((_, at) => at % RIVALS === side) })),
  );
  const tally: Tally = {};
  for (const one of each)
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const level = async (id: string) => (await inventory.levelsOf(instance.ctx, [id])).get(id);
const knex = () => instance.database.db.knex;
const sumOfDeltas = async (id: string): Promise<number> => {
  const rows: { delta: number }[] = await knex()('stock_movements').where({ variant_id: id });
  return rows.reduce((sum, { delta }) => sum + delta, 0);
};
const held = async (id: string): Promise<number> => {
  const rows: { quantity: number }[] = await knex()('stock_reservations').where({
    variant_id: id,
    status: 'held',
  });
  return rows.reduce((sum, { quantity }) => sum + quantity, 0);
};

it('50 orders at once for 5 units: exactly 5 have them, and it is told once that stock is low', async () => {
  const [id = ''] = await variants(1, 5, {});
  await inventory.changeRules(instance.ctx, id, { lowStockThreshold: 3 });
  expect(await fight(50, { variantIds: [id], next: 'nothing' })).toEqual({ done: 5, OUT_OF_STOCK: 45 });
  expect(await level(id)).toMatchObject({ onHand: 5, reserved: 5, state: 'out' });
  expect(await held(id)).toBe(5);
  const told = await knex()('events').where({ subject: id, type: 'inventory.low_stock' });
  expect(told).toHaveLength(1);
});

it('orders that want several variants in different orders come to no standstill and leave nothing half held', async () => {
  const ids = await variants(3, 10);
  const [one, two] = await Promise.all([
    fight(20, { variantIds: ids, next: 'nothing' }),
    fight(20, { variantIds: ids.toReversed(), next: 'nothing' }),
  ]);
  expect([(one.done ?? 0) + (two.done ?? 0), (one.OUT_OF_STOCK ?? 0) + (two.OUT_OF_STOCK ?? 0)]).toEqual([
    10, 30,
  ]);
  for (const id of ids) {
    expect(await level(id)).toMatchObject({ onHand: 10, reserved: 10 });
    expect(await held(id)).toBe(10);
  }
});

it('what is consumed leaves the store once, what is given back is there again', async () => {
  const [sold = '', back = '', settled = ''] = await variants(3, 30);
  expect(await fight(20, { variantIds: [sold], next: 'consume' })).toEqual({ done: 20 });
  expect(await level(sold)).toMatchObject({ onHand: 10, reserved: 0 });
  expect(await sumOfDeltas(sold)).toBe(10);
  expect(await fight(20, { variantIds: [back], next: 'release' })).toEqual({ done: 20 });
  expect(await level(back)).toMatchObject({ onHand: 30, reserved: 0 });
  // Consumed, released and expired at the same time: one of them holds.
  expect(await fight(20, { variantIds: [settled], next: 'both' })).toEqual({ done: 20 });
  const after = await level(settled);
  expect(after?.reserved).toBe(0);
  expect(after?.onHand).toBe(await sumOfDeltas(settled));
  expect(await held(settled)).toBe(0);
});

it('adjustments beside orders lose no unit', async () => {
  const [id = ''] = await variants(1, 0);
  const adding = Array.from({ length: 20 }, () =>
    inventory.adjust(instance.ctx, id, { delta: 1, reason: 'received' }),
  );
  const [tally] = await Promise.all([fight(40, { variantIds: [id], next: 'consume' }), ...adding]);
  const after = await level(id);
  expect(after).toMatchObject({ reserved: 0, onHand: 20 - (tally.done ?? 0) });
  expect(await sumOfDeltas(id)).toBe(after?.onHand);
});
