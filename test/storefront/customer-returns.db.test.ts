// Returns of customers who are signed in, by JSON and on the pages of their account (storefront-api.md, H).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { CHANGED_MIND, returnTools } from './return-shop.ts';

let shop: OrderShop;
let tools: ReturnType<typeof returnTools>;
let ann: CustomerClient;
let bea: CustomerClient;
beforeAll(async () => {
  shop = await openOrderShop();
  tools = returnTools(shop);
  ann = await customerClient(shop.app);
  bea = await customerClient(shop.app);
});
afterAll(() => shop.app.close());

/** A delivered order of a customer. */
async function own(customer: CustomerClient, units = 1) {
  const { order, item } = await tools.delivered(units);
  await shop.app.ctx.tx(({ db }) =>
    db.knex('orders').where({ id: order.id }).update({ customer_id: customer.id }),
  );
  return { order, item, number: String(order.order_number) };
}

const body = (number: string, item: string, quantity = 1, more: object = {}) => ({
  order_number: number,
  items: [{ order_item_id: item, quantity, reason_id: CHANGED_MIND }],
  resolution: 'refund',
  ...more,
});

type Shown = { return_number: string; status: string; id: string };

it('a customer sees what can be returned, asks for it, tells the tracking, writes, and withdraws', async () => {
  const { item, number } = await own(ann, 2);
  expect(await ann.data(`/api/shop/orders/${number}/returnable`)).toEqual([
    {
      order_item_id: item,
      name: expect.any(String),
      returnable_quantity: 2,
      deadline: expect.stringMatching(/^\d{4}-/),
      unit_refund_cents: 1900,
      why: null,
    },
  ]);
  const one = await ann.data<Shown>('/api/shop/returns', 'POST', body(number, item));
  expect(one).toMatchObject({ status: 'requested', order_number: number });
  const at = `/api/shop/returns/${one.return_number}`;
  expect(await ann.refusal(`${at}/shipping`, 'POST', { carrier: 'UPS', tracking_number: '1' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  await tools.step(one.id, 'approve');
  expect(await ann.data(`${at}/shipping`, 'POST', { carrier: 'UPS', tracking_number: '1Z' })).toMatchObject({
    status: 'in_transit',
  });
  expect(await ann.data(`${at}/messages`, 'POST', { body: 'Sent today' })).toMatchObject({
    author_type: 'customer',
    author: null,
  });
  await shop.staff.data(`/returns/${one.id}/messages`, 'POST', { body: 'Secret', internal: true });
  const shown = await ann.data<{ messages: unknown[] }>(at);
  expect(shown.messages).toHaveLength(1);
  expect(await ann.refusal(`${at}/cancel`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  const other = await ann.data<Shown>('/api/shop/returns', 'POST', body(number, item));
  expect(await ann.data(`/api/shop/returns/${other.return_number}/cancel`, 'POST', {})).toMatchObject({
    status: 'cancelled',
  });
  const { body: list } = await ann.send('/api/shop/returns?status=cancelled');
  expect((list.data as unknown as Shown[]).map((each) => each.return_number)).toEqual([other.return_number]);
  expect(list.pagination).toMatchObject({ total: 1 });
});

it('orders, items and returns of others are unknown, and nothing is stored', async () => {
  const theirs = await own(bea);
  const mine = await own(ann);
  const refused = [404, 'NOT_FOUND', undefined];
  expect(await ann.refusal(`/api/shop/orders/${theirs.number}/returnable`)).toEqual(refused);
  expect(await ann.refusal('/api/shop/returns', 'POST', body(theirs.number, theirs.item))).toEqual(refused);
  expect(await ann.refusal('/api/shop/returns', 'POST', body(mine.number, theirs.item))).toEqual(refused);
  expect(await tools.lineOf(theirs.item)).toMatchObject({ return_requested_quantity: 0 });
  const one = await bea.data<Shown>('/api/shop/returns', 'POST', body(theirs.number, theirs.item));
  for (const name of [one.return_number, one.id]) {
    const at = `/api/shop/returns/${name}`;
    expect(await ann.refusal(at)).toEqual(refused);
    expect(await ann.refusal(`${at}/cancel`, 'POST', {})).toEqual(refused);
    expect(await ann.refusal(`${at}/messages`, 'POST', { body: 'Hello' })).toEqual(refused);
    expect(await ann.refusal(`${at}/shipping`, 'POST', { carrier: 'UPS', tracking_number: '1' })).toEqual(
      refused,
    );
  }
  expect((await shop.app.send('/api/shop/returns')).status).toBe(401);
});

it('the pages of the account list returns, ask for one and show it', async () => {
  const { item, number } = await own(bea);
  const path = `/shop/account/returns/new/${number}`;
  expect((await ann.browser.open(path)).status).toBe(404);
  const sent = await bea.browser.submit(path, {
    item,
    quantity: '1',
    reason: CHANGED_MIND,
    resolution: 'refund',
  });
  expect(sent.status).toBe(303);
  const place = String(sent.headers.location);
  expect((await bea.browser.open(place)).text).toContain('Requested');
  expect((await ann.browser.open(place)).status).toBe(404);
  expect((await bea.browser.open('/shop/account/returns')).text).toContain(place);
});
