// What staff do with orders: find them, hold them, end them, give money back (storefront-domain 6.1 to 6.3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';
import { storeClient } from './store-client.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

type Order = Record<string, unknown> & { id: string; order_number: string; version: number };

const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Order;
const numbersOf = async (query: string): Promise<string[]> => {
  const { body } = await shop.staff.send(`/orders?per_page=100&${query}`);
  return (body.data as unknown as Order[]).map(({ order_number: number }) => number);
};

it('is found by its id and its number, with its money and its history', async () => {
  const made = await shop.placed(await shop.stocked(5), 2);
  const order = await get(made.id);
  expect(order).toMatchObject({
    status: 'processing',
    payment_status: 'paid',
    total_cents: 4300,
    totals: { due_cents: 0, total_cents: 4300 },
    items: [{ quantity: 2, fulfilled_quantity: 0 }],
    addresses: { shipping: { city: 'Springfield' } },
    payments: [{ kind: 'card', status: 'captured', captured_cents: 4300, processor: 'fake' }],
    refunds: [],
    tags: [],
    internal_note: null,
    actions: { can_cancel: true, can_hold: true, can_release: false, can_refund: true, can_pay: false },
  });
  expect((await get(String(order.order_number))).id).toBe(made.id);
  const { body } = await shop.staff.send(`/orders/${made.id}/events?sort=created`);
  const types = (body.data as unknown as { type: string; to: string | null }[]).map(({ type }) => type);
  expect(types).toContain('payment');
  expect(types).toContain('status');
  expect(await shop.staff.refusal('/orders/999999', 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
});

it('is listed by number, email, SKU, status, tag and time; one that was not placed only when asked for', async () => {
  const variantId = await shop.stocked(5);
  const { id, order_number: number, items } = await shop.placed(variantId, 1, 'offline');
  const sku = items[0]?.sku ?? '';
  const unplaced = await shop.placed(await shop.stocked(1), 1, 'fake', { source_id: 'needs_action' });
  expect(unplaced.placed_at).toBeNull();
  await shop.staff.data(`/orders/${id}`, 'PATCH', { tags: ['gift', 'gift', 'fragile'] });
  for (const query of [`q=${sku}`, `q=${number}`, 'tag=fragile', 'status=pending&payment_status=unpaid'])
    expect([query, await numbersOf(query)]).toEqual([query, [number]]);
  expect(await numbersOf('q=ann@example')).toContain(number);
  expect(await numbersOf('tag=frag')).toEqual([]);
  expect(await numbersOf('to=2020-01-01T00:00:00Z')).toEqual([]);
  expect(await numbersOf('from=2020-01-01T00:00:00Z')).toContain(number);
  expect(await numbersOf('fulfillment_status=not_required')).toEqual([]);
  expect(await numbersOf('')).not.toContain(unplaced.order_number);
  expect(await numbersOf('placed=false')).toEqual([unplaced.order_number]);
});

it('tags and the internal note are changed in the version that was read, and told once', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { version } = await get(id);
  const sent = { tags: ['b2c'], internal_note: 'Call first', version };
  const { result, changes } = await shop.app.changesBy(() => shop.staff.send(`/orders/${id}`, 'PATCH', sent));
  expect(result.body.data).toMatchObject({
    tags: ['b2c'],
    internal_note: 'Call first',
    version: version + 1,
  });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await shop.staff.refusal(`/orders/${id}`, 'PATCH', { ...sent, tags: [] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'STALE_VERSION',
  ]);
  expect(await shop.staff.data(`/orders/${id}`, 'PATCH', { internal_note: null })).toMatchObject({
    internal_note: null,
    tags: ['b2c'],
  });
});

it('each transition tells exactly one webhook', async () => {
  const { id } = await shop.placed(await shop.stocked(2));
  const steps: [path: string, body: object, status: string, event: string][] = [
    ['hold', { reason: 'Ask for the address' }, 'on_hold', 'order.updated'],
    ['release', {}, 'processing', 'order.updated'],
    ['complete', { force: true }, 'completed', 'order.completed'],
  ];
  for (const [step, body, status, event] of steps) {
    const { result, changes } = await shop.app.changesBy(() =>
      shop.staff.send(`/orders/${id}/${step}`, 'POST', body),
    );
    expect([step, result.status, (result.body.data as unknown as Order)?.status]).toEqual([
      step,
      200,
      status,
    ]);
    expect([step, ...toldOf(changes.events)]).toEqual([step, event]);
  }
  expect(await shop.staff.refusal(`/orders/${id}/hold`, 'POST', { reason: 'Late' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
});

it('an order that is not finished is completed by force only', async () => {
  const { id } = await shop.placed(await shop.stocked(2));
  expect(await shop.staff.refusal(`/orders/${id}/complete`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  const { body } = await shop.staff.send(`/orders/${id}/complete`, 'POST', {});
  expect(body.error).toMatch(/1 unit is not shipped yet\. Send force/);
});

it('an unpaid order that is released waits for its money again', async () => {
  const { id } = await shop.placed(await shop.stocked(1), 1, 'fake');
  await shop.staff.data(`/orders/${id}/hold`, 'POST', { reason: 'Dispute' });
  await shop.app.ctx.tx(async ({ db: { knex } }) => {
    await knex('payments').where({ order_id: id }).update({ status: 'expired', captured_cents: 0 });
    await knex('orders').where({ id }).update({ paid_cents: 0, payment_status: 'authorized' });
  });
  expect(await shop.staff.data(`/orders/${id}/release`, 'POST', {})).toMatchObject({ status: 'pending' });
});

it('money of a processor that this server does not know is not promised back', async () => {
  const { id } = await shop.placed(await shop.stocked(1), 1, 'fake');
  const paidBy = (processor: string) =>
    shop.app.ctx.tx(async ({ db: { knex } }) => {
      await knex('payments').where({ order_id: id }).update({ processor });
    });
  await paidBy('gone');
  const refund = { adjustment_cents: 500, reason: 'Scratched' };
  expect(await shop.staff.refusal(`/orders/${id}/refunds`, 'POST', refund)).toEqual([
    400,
    'VALIDATION_ERROR',
    'PAYMENT_UNAVAILABLE',
  ]);
  await paidBy('fake');
  expect(await shop.staff.data(`/orders/${id}/refunds`, 'POST', refund)).toMatchObject({ amount_cents: 500 });
});

it('a cancelled order gives goods and, when asked, money back', async () => {
  const variantId = await shop.stocked(3);
  const { id } = await shop.placed(variantId, 2);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 1 });
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.send(`/orders/${id}/cancel`, 'POST', { reason: 'Asked by phone', refund: 'full' }),
  );
  expect(result.body.data).toMatchObject({
    status: 'cancelled',
    cancel_reason: 'Asked by phone',
    payment_status: 'refunded',
    refunds: [{ status: 'succeeded', amount_cents: 4300 }],
    actions: { can_cancel: false, can_refund: false },
  });
  expect(toldOf(changes.events).filter((name) => name === 'order.cancelled')).toHaveLength(1);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 3 });
  const kept = await shop.placed(variantId, 1);
  await shop.staff.data(`/orders/${kept.id}/cancel`, 'POST', { reason: 'Broken', restock: false });
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 2 });
  expect(await get(kept.id)).toMatchObject({ payment_status: 'paid', refunds: [] });
});

it('a note stands in the history', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { status, body } = await shop.staff.send(`/orders/${id}/notes`, 'POST', {
    body: 'Left at the door',
    visible_to_customer: true,
  });
  expect([status, body.data]).toMatchObject([
    201,
    { type: 'note', body: 'Left at the door', visible_to_customer: true },
  ]);
  expect(await shop.staff.refusal(`/orders/${id}/notes`, 'POST', {})).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
    undefined,
  ]);
});

it('money that staff record moves an unpaid order on, and never more than is due', async () => {
  const { id } = await shop.placed(await shop.stocked(1), 1, 'offline');
  expect(
    await shop.staff.refusal(`/orders/${id}/payments`, 'POST', { amount_cents: 2401, method: 'check' }),
  ).toEqual([400, 'VALIDATION_ERROR', undefined]);
  const part = { amount_cents: 1400, method: 'bank_transfer', reference: 'TR-7' };
  const { status, body } = await shop.staff.send(`/orders/${id}/payments`, 'POST', part);
  expect([status, body.data]).toMatchObject([
    201,
    { status: 'captured', method_label: 'Bank transfer TR-7' },
  ]);
  expect(await get(id)).toMatchObject({ status: 'pending', payment_status: 'partially_paid' });
  const { changes } = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${id}/payments`, 'POST', { amount_cents: 1000, method: 'cash' }),
  );
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await get(id)).toMatchObject({ status: 'processing', payment_status: 'paid' });
});

it('a refund takes what is left, once for each key, and is refused beyond it', async () => {
  const order = await shop.placed(await shop.stocked(3), 2);
  const item = order.items[0]?.id;
  const path = `/orders/${order.id}/refunds`;
  expect(await shop.staff.data(`/orders/${order.id}/refundable`)).toMatchObject({
    items: [{ order_item_id: item, quantity: 2, amount_cents: 3800 }],
    shipping_cents: 500,
    total_cents: 4300,
  });
  const { secret } = await shop.app.adminToken('owner');
  const once = () =>
    shop.app.send(`/api/store${path}`, {
      method: 'POST',
      body: { items: [{ order_item_id: item, quantity: 1 }], reason: 'Broken' },
      headers: { Authorization: `Bearer ${secret}`, 'Idempotency-Key': 'refund-1' },
    });
  const [first, second] = [await once(), await once()];
  expect([first.status, first.body.data]).toMatchObject([
    201,
    { amount_cents: 1900, status: 'succeeded', items: [{ quantity: 1, amount_cents: 1900 }], also: [] },
  ]);
  expect(second.body).toEqual(first.body);
  expect(await get(order.id)).toMatchObject({ refunded_cents: 1900, payment_status: 'partially_refunded' });
  const most = { items: [{ order_item_id: item, quantity: 2 }], reason: 'Broken' };
  expect(await shop.staff.refusal(path, 'POST', most)).toEqual([400, 'VALIDATION_ERROR', 'REFUND_TOO_LARGE']);
});

it('of two refunds of the same money at once one is made', async () => {
  const order = await shop.placed(await shop.stocked(1));
  const body = { items: [{ order_item_id: order.items[0]?.id, quantity: 1 }], reason: 'Broken' };
  const answers = await Promise.all(
    [1, 2, 3].map(() => shop.staff.send(`/orders/${order.id}/refunds`, 'POST', body)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  expect(await get(order.id)).toMatchObject({ refunded_cents: 1900 });
});

it('who may change orders and not refund them gives no money back', async () => {
  const order = await shop.placed(await shop.stocked(1));
  const packer = await storeClient(shop.app, 'fulfilment');
  const refund = { adjustment_cents: 100, reason: 'Good will' };
  expect((await packer.refusal(`/orders/${order.id}/refunds`, 'POST', refund)).slice(0, 2)).toEqual([
    403,
    'AUTH_FORBIDDEN',
  ]);
  const cancelled = { reason: 'Asked', refund: 'full' };
  expect((await packer.refusal(`/orders/${order.id}/cancel`, 'POST', cancelled))[0]).toBe(403);
  expect(await get(order.id)).toMatchObject({ status: 'processing', refunded_cents: 0 });
});
