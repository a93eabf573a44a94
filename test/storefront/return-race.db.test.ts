// Twenty clicks at once of several processes on each step of a return: one of them counts, and books and stock are right
// (storefront-domain 6.5).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import * as settings from '#platform/settings/index.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { placeOrder } from '#storefront/buying/checkout/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { ReturnWork } from '../support/return-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
const CLICKS = 10;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<ReturnWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<ReturnWork, Tally>('return-process.ts', installation.cwd, database.url),
    ),
  );
}, 120_000);
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const knex = () => instance.database.db.knex;
let made = 0;

/** A variant of which there are so many; it needs no parcel, so that an order of it can be returned once it is paid. */
async function stocked(stock: number, priceCents = 1900): Promise<string> {
  const name = `back-${++made}`;
  const { id } = await products.create(instance.ctx, {
    title: name,
    type: 'digital',
    status: 'active',
    variants: [{ sku: name, priceCents, requiresShipping: false, stock }],
  });
  const { variants } = await products.getWhole(instance.ctx, id);
  return variants[0]?.id ?? '';
}

/** A paid order of so many units. */
async function paid(variantId: string, quantity: number) {
  const { ctx } = instance;
  const owner = { customerId: null, sessionKey: `race-${++made}`.padEnd(64, '-') };
  await carts.add(ctx, owner, { variantId, quantity });
  await carts.writeExisting(ctx, owner, { email: 'ann@x.test' });
  const input = { processor: 'offline', sourceId: null, termsAccepted: true };
  const ways = () => ({ returnUrl: 'http://localhost/return', cancelUrl: 'http://localhost/return' });
  const { order } = await placeOrder(ctx, owner, input, ways);
  await payments.record(ctx, order.id, { amountCents: order.totalCents, method: 'cash' });
  const [item] = await orders.itemsOf(ctx, order.id);
  return { order: await orders.get(ctx, order.id), item: item as orders.OrderItem };
}

const REASON = `rrs_${'5'.padStart(26, '0')}`;
const asked = (order: orders.Order, item: orders.OrderItem, resolution: returns.Resolution = 'refund') =>
  returns.request(
    instance.ctx,
    order,
    { items: [{ orderItemId: item.id, quantity: item.quantity, reasonId: REASON }], resolution },
    { by: 'staff' },
  );

/** All processes click at once. */
async function rush(work: Omit<ReturnWork, 'clicks'>): Promise<Tally> {
  const tally: Tally = {};
  for (const one of await Promise.all(rivals.map((rival) => rival.work({ ...work, clicks: CLICKS }))))
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

/** Nothing is wrong in the whole shop. */
async function isSound(): Promise<void> {
  const scope = { opened: { ctx: instance.ctx, current: true } } as unknown as CheckScope;
  for (const id of ['store.money', 'store.stock', 'store.holds', 'store.returns'])
    expect([id, await checks.find((one) => one.id === id)?.run(scope)]).toMatchObject([id, { status: 'ok' }]);
}

const once = { done: 1, INVALID_TRANSITION: RIVALS * CLICKS - 1 };
const lineOf = (id: string) =>
  knex()('order_items')
    .where({ id })
    .first('return_requested_quantity', 'returned_quantity', 'refunded_quantity');
const refundsOf = (returnId: string) =>
  knex()('refunds').where({ return_id: returnId }).select('amount_cents', 'status', 'refund_to');

it('20 requests of the same units at once make one return', async () => {
  const { order, item } = await paid(await stocked(5), 2);
  const tally = await rush({ step: 'request', id: order.id, item: item.id, quantity: 2 });
  expect(tally).toEqual({ done: 1, NOT_RETURNABLE: RIVALS * CLICKS - 1 });
  expect(await knex()('returns').where({ order_id: order.id })).toHaveLength(1);
  expect(await lineOf(item.id)).toMatchObject({ return_requested_quantity: 2 });
  await isSound();
}, 120_000);

it('the same form sent 20 times is one return, although more could be returned', async () => {
  const { order, item } = await paid(await stocked(50), 30);
  const tally = await rush({ step: 'request-once', id: order.id, item: item.id, quantity: 1 });
  expect(tally).toEqual({ done: RIVALS * CLICKS });
  expect(await knex()('returns').where({ order_id: order.id })).toHaveLength(1);
  expect(await lineOf(item.id)).toMatchObject({ return_requested_quantity: 1 });
}, 120_000);

it('20 approvals at once receive digital goods once', async () => {
  const { order, item } = await paid(await stocked(5), 2);
  const { id } = await asked(order, item);
  expect(await rush({ step: 'approve', id, item: '', quantity: 2 })).toEqual(once);
  expect(await lineOf(item.id)).toMatchObject({ return_requested_quantity: 0, returned_quantity: 2 });
  await isSound();
}, 120_000);

it.each([
  ['refund', 'original'],
  ['store_credit', 'gift_card'],
] as const)(
  '20 refunds of a return for %s at once give the money back once',
  async (resolution, to) => {
    const { order, item } = await paid(await stocked(5), 2);
    const { id } = await asked(order, item, resolution);
    await returns.approve(instance.ctx, id);
    const cards = async () => (await knex()('gift_cards').select('id')).length;
    const before = await cards();
    expect(await rush({ step: 'refund', id, item: '', quantity: 2 })).toEqual(once);
    expect(await refundsOf(id)).toEqual([{ amount_cents: 3800, status: 'succeeded', refund_to: to }]);
    expect(await cards()).toBe(before + Number(resolution === 'store_credit'));
    expect(await lineOf(item.id)).toMatchObject({ refunded_quantity: 2 });
    await isSound();
  },
  120_000,
);

it('20 exchanges at once take the last unit once, and no money goes back', async () => {
  const { order, item } = await paid(await stocked(5), 1);
  const variantId = await stocked(1);
  const { id } = await asked(order, item, 'exchange');
  await returns.approve(instance.ctx, id);
  expect(await rush({ step: 'exchange', id, item: '', quantity: 1, variantId })).toEqual(once);
  expect(await knex()('orders').where({ source: 'exchange' }).select('total_cents')).toEqual([
    { total_cents: 0 },
  ]);
  expect(await refundsOf(id)).toEqual([]);
  expect(await knex()('inventory_levels').where({ variant_id: variantId }).first('on_hand')).toEqual({
    on_hand: 0,
  });
  await isSound();
}, 120_000);

it('20 arrivals at once put goods back into stock once', async () => {
  const variantId = await stocked(5);
  const { order, item } = await paid(variantId, 2);
  // As if they had been sent in a parcel that was delivered.
  await delivered(order.id, item.id);
  const one = await asked(await orders.get(instance.ctx, order.id), item);
  await returns.approve(instance.ctx, one.id);
  const { items } = await returns.wholeReturn(instance.ctx, one);
  const work = { step: 'receive' as const, id: one.id, item: items[0]?.id ?? '', quantity: 2 };
  expect(await rush(work)).toEqual(once);
  expect(await knex()('stock_movements').where({ return_id: one.id }).select('delta')).toEqual([
    { delta: 2 },
  ]);
  expect(await lineOf(item.id)).toMatchObject({ return_requested_quantity: 0, returned_quantity: 2 });
  await isSound();
}, 120_000);

const delivered = (orderId: string, itemId: string): Promise<void> =>
  instance.ctx.tx(async (ctx) => {
    const [id, at, { db }] = [ctx.newId('shp'), ctx.now(), ctx];
    await db
      .knex('order_items')
      .where({ id: itemId })
      .update({ requires_shipping: true, fulfilled_quantity: 2 });
    await db.knex('orders').where({ id: orderId }).update({ fulfillment_status: 'delivered' });
    const times = { shipped_at: at, delivered_at: at, created_at: at, updated_at: at };
    const parcel = { id, order_id: orderId, shipment_number: `${orderId}-1`, status: 'delivered', ...times };
    await db.knex('shipments').insert(parcel);
    const units = { shipment_id: id, order_item_id: itemId, quantity: 2, created_at: at };
    await db.knex('shipment_items').insert(units);
  });
