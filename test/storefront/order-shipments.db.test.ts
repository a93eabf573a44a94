// What leaves for an order, and when an order is done (storefront-domain 6.1, 6.4).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

type Shipment = { id: string; shipment_number: string; status: string };
const get = (id: string) => shop.staff.data(`/orders/${id}`);
/** What was answered, and which webhooks were told. */
async function told(path: string, body: object = {}) {
  const { result, changes } = await shop.app.changesBy(() => shop.staff.send(path, 'POST', body));
  return {
    status: result.status,
    data: result.body.data as unknown as Shipment,
    told: toldOf(changes.events),
  };
}
const INVALID = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];

it('an order in two parcels is shipped with the last one and completed when both arrived', async () => {
  const order = await shop.placed(await shop.stocked(5), 3);
  const item = order.items[0]?.id;
  const path = `/orders/${order.id}/shipments`;
  const first = await told(path, {
    items: [{ order_item_id: item, quantity: 2 }],
    carrier: 'UPS',
    tracking_number: '1Z999',
    tracking_url: 'https://ups.example/1Z999',
    ship_now: true,
  });
  expect(first).toMatchObject({
    status: 201,
    told: ['order.updated'],
    data: {
      shipment_number: `${order.order_number}-1`,
      status: 'shipped',
      items: [{ order_item_id: item, quantity: 2 }],
    },
  });
  expect(await get(order.id)).toMatchObject({
    status: 'processing',
    fulfillment_status: 'partially_fulfilled',
  });
  const second = await told(path);
  expect([second.data.shipment_number, second.data.status, second.told]).toEqual([
    `${order.order_number}-2`,
    'pending',
    ['order.updated'],
  ]);
  expect(await get(order.id)).toMatchObject({ status: 'processing', fulfillment_status: 'fulfilled' });
  expect(await shop.staff.refusal(`/orders/${order.id}/complete`, 'POST', {})).toEqual(INVALID);
  expect(await shop.staff.refusal(path, 'POST', {})).toEqual(INVALID);
  expect((await told(`/shipments/${second.data.id}/ship`)).told).toEqual(['order.shipped']);
  expect(await get(order.id)).toMatchObject({ status: 'shipped' });
  expect((await told(`/shipments/${first.data.id}/deliver`)).told).toEqual(['order.updated']);
  expect((await told(`/shipments/${second.data.id}/deliver`)).told).toEqual(['order.completed']);
  expect(await get(order.id)).toMatchObject({ status: 'completed', fulfillment_status: 'delivered' });
  const { body } = await shop.staff.send(`/shipments?q=1Z999`);
  expect((body.data as unknown as Shipment[]).map(({ id }) => id)).toEqual([first.data.id]);
});

it('a parcel that was lost gives its units back, and its order goes on', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { data } = await told(`/orders/${id}/shipments`, { ship_now: true });
  expect(await get(id)).toMatchObject({ status: 'shipped' });
  const lost = await told(`/shipments/${data.id}/cancel`, { reason: 'Lost' });
  expect([lost.data, lost.told]).toMatchObject([
    { status: 'cancelled', cancel_reason: 'Lost' },
    ['order.updated'],
  ]);
  expect(await get(id)).toMatchObject({ status: 'processing', fulfillment_status: 'unfulfilled' });
  for (const step of ['ship', 'deliver', 'cancel'])
    expect(await shop.staff.refusal(`/shipments/${data.id}/${step}`, 'POST', {})).toEqual(INVALID);
  expect((await told(`/orders/${id}/shipments`, { ship_now: true })).data.shipment_number).toMatch(/-2$/);
});

it('more than is left, another order, nonsense: nothing is shipped', async () => {
  const order = await shop.placed(await shop.stocked(2), 1);
  const other = await shop.placed(await shop.stocked(2), 1);
  const path = `/orders/${order.id}/shipments`;
  const of = (order_item_id: unknown, quantity: number) => ({ items: [{ order_item_id, quantity }] });
  const mine = order.items[0]?.id;
  const { changes } = await shop.app.changesBy(async () => {
    expect((await shop.staff.refusal(path, 'POST', of(mine, 2)))[0]).toBe(400);
    expect((await shop.staff.refusal(path, 'POST', of(other.items[0]?.id, 1)))[0]).toBe(404);
    expect((await shop.staff.refusal(path, 'POST', { items: [] }))[0]).toBe(400);
    expect((await shop.staff.refusal(path, 'POST', { tracking_url: 'javascript:alert(1)' }))[0]).toBe(400);
    const twice = { items: [...of(mine, 1).items, ...of(mine, 1).items] };
    expect((await shop.staff.refusal(path, 'POST', twice))[0]).toBe(400);
    expect((await shop.staff.refusal('/shipments/shp_unknown/ship', 'POST', {}))[0]).toBe(404);
  });
  expect([changes.events, changes.rows]).toEqual([[], {}]);
  await shop.staff.data(`/orders/${order.id}/hold`, 'POST', { reason: 'Wait' });
  expect(await shop.staff.refusal(path, 'POST', {})).toEqual(INVALID);
});

it('tracking is changed until the parcel is cancelled', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { data } = await told(`/orders/${id}/shipments`);
  const sent = { carrier: 'DHL', tracking_number: 'JD01' };
  expect(await shop.staff.data(`/shipments/${data.id}`, 'PATCH', sent)).toMatchObject({
    ...sent,
    tracking_url: null,
  });
  await told(`/shipments/${data.id}/cancel`);
  expect(await shop.staff.refusal(`/shipments/${data.id}`, 'PATCH', sent)).toEqual(INVALID);
});

it('of two parcels with the same unit at once one is made', async () => {
  const order = await shop.placed(await shop.stocked(1));
  const items = [{ order_item_id: order.items[0]?.id, quantity: 1 }];
  const answers = await Promise.all(
    [1, 2, 3].map(() => shop.staff.send(`/orders/${order.id}/shipments`, 'POST', { items })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
});

it('an order is shipped or cancelled, and never both', async () => {
  for (let round = 0; round < 4; round += 1) {
    const variantId = await shop.stocked(1);
    const { id } = await shop.placed(variantId);
    const [shipped, cancelled] = await Promise.all([
      shop.staff.send(`/orders/${id}/shipments`, 'POST', { ship_now: true }),
      shop.staff.send(`/orders/${id}/cancel`, 'POST', { reason: 'Asked' }),
    ]);
    expect([shipped.status, cancelled.status].toSorted()).toEqual(
      shipped.status === 201 ? [201, 400] : [200, 400],
    );
    expect((await get(id)).status).toBe(shipped.status === 201 ? 'shipped' : 'cancelled');
    expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: shipped.status === 201 ? 0 : 1 });
  }
});

it('an order without anything to ship is completed right after it was paid', async () => {
  const digital = (sku: string) => ({ type: 'digital', variants: [{ sku, price_cents: 900 }] });
  const paid = await shop.placed(await shop.stocked(0, digital(`FILE-${crypto.randomUUID()}`)));
  expect(paid).toMatchObject({ status: 'completed', fulfillment_status: 'not_required' });
  const later = await shop.placed(
    await shop.stocked(0, digital(`FILE-${crypto.randomUUID()}`)),
    1,
    'offline',
  );
  const { told: names } = await told(`/orders/${later.id}/payments`, { amount_cents: 900, method: 'cash' });
  expect(names.toSorted()).toEqual(['order.completed', 'order.updated']);
  // A process that died between the two transactions: the job goes on.
  await shop.app.ctx.tx(({ db }) =>
    db.knex('orders').where({ id: later.id }).update({ status: 'processing', completed_at: null }),
  );
  await runJob(shop.app.ctx, 'complete-orders');
  expect(await get(later.id)).toMatchObject({ status: 'completed' });
});

it('an order counts as completed some days after its last parcel left', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { data } = await told(`/orders/${id}/shipments`, { ship_now: true });
  await runJob(shop.app.ctx, 'complete-orders');
  expect(await get(id)).toMatchObject({ status: 'shipped' });
  await shop.app.ctx.tx(({ db }) =>
    db.knex('shipments').where({ id: data.id }).update({ shipped_at: '2020-01-01T00:00:00.000Z' }),
  );
  const { changes } = await shop.app.changesBy(() => runJob(shop.app.ctx, 'complete-orders'));
  expect(toldOf(changes.events)).toEqual(['order.completed']);
  expect(await get(id)).toMatchObject({ status: 'completed' });
  expect(await shop.staff.refusal(`/shipments/${data.id}/cancel`, 'POST', {})).toEqual(INVALID);
});

it('what is left of an order that was shipped in part is cancelled, and goods and money of it go back', async () => {
  const variantId = await shop.stocked(5);
  const { id } = await shop.placed(variantId, 3);
  const item = ((await get(id)) as unknown as { items: { id: string }[] }).items[0]?.id;
  await shop.staff.data(`/orders/${id}/shipments`, 'POST', {
    items: [{ order_item_id: item, quantity: 1 }],
    ship_now: true,
  });
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.send(`/orders/${id}/cancel`, 'POST', { reason: 'Out of production', refund: 'full' }),
  );
  expect(result.body.data).toMatchObject({
    status: 'shipped',
    fulfillment_status: 'fulfilled',
    cancelled_at: null,
    items: [{ quantity: 3, fulfilled_quantity: 1, cancelled_quantity: 2, refunded_quantity: 2 }],
    refunds: [{ status: 'succeeded', amount_cents: 3800 }],
    actions: { can_cancel: false },
  });
  expect(toldOf(changes.events).filter((name) => name === 'order.shipped')).toHaveLength(1);
  expect(toldOf(changes.events)).not.toContain('order.cancelled');
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 4, reserved: 0 });
  expect(await shop.staff.refusal(`/orders/${id}/cancel`, 'POST', { reason: 'Again' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
});

it('a parcel that waits keeps its order processing when the rest is cancelled, and one on hold is released first', async () => {
  const variantId = await shop.stocked(5);
  const { id } = await shop.placed(variantId, 3);
  const item = ((await get(id)) as unknown as { items: { id: string }[] }).items[0]?.id;
  const parcel = await shop.staff.data(`/orders/${id}/shipments`, 'POST', {
    items: [{ order_item_id: item, quantity: 2 }],
  });
  await shop.staff.data(`/orders/${id}/hold`, 'POST', { reason: 'Look' });
  const sent = { reason: 'Not wanted', restock: false };
  expect((await shop.staff.refusal(`/orders/${id}/cancel`, 'POST', sent))[2]).toBe('INVALID_TRANSITION');
  await shop.staff.data(`/orders/${id}/release`, 'POST', {});
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${id}/cancel`, 'POST', sent),
  );
  expect(result).toMatchObject({ status: 'processing', items: [{ cancelled_quantity: 1 }], refunds: [] });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 2 });
  await shop.staff.data(`/shipments/${parcel.id}/ship`, 'POST', {});
  expect(await get(id)).toMatchObject({ status: 'shipped', fulfillment_status: 'fulfilled' });
});
