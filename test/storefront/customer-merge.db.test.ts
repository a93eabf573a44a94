// Two customers become one: everything moves, and of the other one nothing but a pointer is left.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { add } from '#storefront/buying/cart/index.ts';
import { issue } from '#storefront/pricing/gift-cards/index.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';

let shop: OrderShop;
let client: OrderShop['staff'];
beforeAll(async () => {
  shop = await openOrderShop();
  client = shop.staff;
});
afterAll(() => shop.app.close());

let made = 0;
const address = (name = 'm') => `${name}-${++made}@x.test`;
const account = (fields: object = {}) => client.data('/customers', 'POST', { email: address(), ...fields });
const one = (id: string) => client.data(`/customers/${id}`);
const transition = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];

/** A guest with one order. */
async function guest(email = address('guest')): Promise<string> {
  await shop.placed(await shop.stocked(5), 1, 'fake', { email });
  const { data } = (await client.send(`/customers?has_account=false&q=${email}`)).body;
  return (data as unknown as [{ id: string }])[0].id;
}

it('orders, notes, groups, gift cards and tags move; names that are missing are filled in', async () => {
  const source = await guest();
  const target = await account({ last_name: 'Miller', tags: ['a'] });
  const group = await client.data('/customer-groups', 'POST', { name: `Merge ${++made}` });
  await client.data(`/customer-groups/${group.id}/members`, 'PUT', { add: [source] });
  await client.data(`/customers/${source}/notes`, 'POST', { body: 'Of the guest' });
  await client.data(`/customers/${source}`, 'PATCH', { tags: ['b'], first_name: 'Ann', last_name: 'Other' });
  const { card } = await issue(shop.app.ctx, { amountCents: 500, currency: 'USD', state: 'active' });
  await shop.app.ctx.tx(async (ctx) => {
    await ctx.db.knex('gift_cards').where({ id: card.id }).update({ owner_customer_id: source });
  });
  const { result, changes } = await shop.app.changesBy(() =>
    client.data(`/customers/${target.id}/merge`, 'POST', { source_id: source }),
  );
  expect(changes.events.toSorted()).toEqual([
    'customer.guest_changed',
    'customer.merged',
    'customer.updated',
  ]);
  expect(result).toMatchObject({
    id: target.id,
    first_name: 'Ann',
    last_name: 'Miller',
    tags: ['a', 'b'],
    groups: [{ id: group.id, name: group.name }],
    notes_count: 1,
    order_count: 1,
    spent_cents: 2400,
    stats: { order_count: 1, total_cents: 2400 },
  });
  const gone = await one(source);
  expect(gone).toMatchObject({
    status: 'anonymised',
    merged_into_id: target.id,
    email: `anon-${source}@invalid`,
    first_name: null,
    tags: [],
    groups: [],
    order_count: 0,
    spent_cents: 0,
  });
  const cards = (await client.send(`/gift-cards?customer_id=${target.id}`)).body.data;
  expect(cards).toMatchObject([{ id: card.id }]);
});

it('no row of any table names the source any more, but for its own and the log', async () => {
  const source = await guest();
  const target = await account();
  await runJob(shop.app.ctx, 'count-reports');
  await client.data(`/customers/${target.id}/merge`, 'POST', { source_id: source });
  const { db } = shop.app.ctx;
  for (const table of [
    'orders',
    'carts',
    'customer_notes',
    'customer_group_members',
    'promotion_redemptions',
  ])
    expect([table, await db.knex(table).where({ customer_id: source })]).toEqual([table, []]);
  const sums = await db
    .knex('customers')
    .whereIn('id', [source, target.id])
    .sum({ n: 'order_count' })
    .first();
  const orders = await db.knex('orders').where({ customer_id: target.id }).whereNotNull('placed_at');
  expect(Number(sums?.n)).toBe(orders.length);
  // Reports count them for the target, too.
  await runJob(shop.app.ctx, 'count-reports');
  const counted = await db.knex('report_customers').where({ grain: 'day' });
  const ordersOf = (id: unknown) =>
    counted.filter((row) => row.customer_id === id).reduce((sum, row) => sum + Number(row.orders), 0);
  expect([ordersOf(source), ordersOf(target.id)]).toEqual([0, orders.length]);
});

it('the carts of both become one', async () => {
  const [source, target] = [await account(), await account()];
  const [a, b] = [await shop.stocked(9), await shop.stocked(9)];
  const { ctx } = shop.app;
  const put = (customerId: string, variantId: string) =>
    add(ctx, { customerId, sessionKey: null }, { variantId, quantity: 2 });
  await put(String(source.id), a);
  await put(String(source.id), b);
  await put(String(target.id), a);
  await client.data(`/customers/${target.id}/merge`, 'POST', { source_id: source.id });
  const lines = await ctx.db
    .knex({ i: 'cart_items' })
    .join({ c: 'carts' }, 'c.id', 'i.cart_id')
    .where({ 'c.customer_id': target.id, 'c.status': 'active' })
    .select('i.variant_id', 'i.quantity');
  expect(new Map(lines.map((line) => [line.variant_id, line.quantity]))).toEqual(
    new Map([
      [a, 4],
      [b, 2],
    ]),
  );
});

it('refuses what cannot be one, and tells into whom somebody went', async () => {
  const [a, b] = [await account(), await account()];
  const source = await guest();
  expect(await client.refusal(`/customers/${a.id}/merge`, 'POST', { source_id: a.id })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  expect((await client.refusal(`/customers/${a.id}/merge`, 'POST', { source_id: 'cst_no' }))[1]).toBe(
    'NOT_FOUND',
  );
  expect((await client.refusal(`/customers/${a.id}/merge`, 'POST', {}))[1]).toBe('VALIDATION_MISSING_FIELD');
  expect(await client.refusal(`/customers/${source}/merge`, 'POST', { source_id: a.id })).toEqual(transition);
  await client.data(`/customers/${a.id}/merge`, 'POST', { source_id: source });
  expect(await client.refusal(`/customers/${b.id}/merge`, 'POST', { source_id: source })).toEqual(transition);
  expect(await client.refusal(`/customers/${source}`, 'PATCH', { phone: '1' })).toEqual(transition);
  await client.data(`/customers/${b.id}/merge`, 'POST', { source_id: a.id });
  expect((await one(source)).merged_into_id).toBe(b.id);
  expect((await one(String(b.id))).order_count).toBe(1);
});

it('an order that is placed for a merged customer goes to whoever has the others', async () => {
  const email = address('late');
  const source = await guest(email);
  const target = await account();
  const variant = await shop.stocked(5);
  const draft = await client.data('/orders', 'POST', {
    customer_id: source,
    draft: true,
    items: [{ variant_id: variant, quantity: 1 }],
    shipping_address: ANN,
    shipping_cents: 0,
  });
  await client.data(`/customers/${target.id}/merge`, 'POST', { source_id: source });
  // As a checkout writes it that had read the customer before.
  await shop.app.ctx.tx(async (ctx) => {
    await ctx.db.knex('orders').where({ id: draft.id }).update({ customer_id: source });
  });
  await client.data(`/orders/${draft.id}/place`, 'POST', { payment: 'offline' });
  expect((await one(String(target.id))).order_count).toBe(2);
  const row = await shop.app.ctx.db.knex('orders').where({ id: draft.id }).first('customer_id');
  expect(row?.customer_id).toBe(target.id);
});
