// Staff change what stands in an order and where it goes while nothing was shipped (storefront-domain 6.1, P17).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtEvents } from '#storefront/contract/events.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN, detailsOf } from './shopper.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

type Order = Record<string, unknown> & {
  id: string;
  total_cents: number;
  version: number;
  items: { id: string; sku: string; quantity: number }[];
};
const toldOf = (events: readonly string[]) =>
  events.filter((name) => (builtEvents as readonly string[]).includes(name));
const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Order;
const itemOf = async (id: string, at = 0) => (await get(id)).items[at]?.id as string;
const edit = (id: string, body: object) => shop.staff.send(`/orders/${id}/edit`, 'POST', body);
const mailsOf = async (template: string, id: string) =>
  (await shop.knex()('email_log').where({ template, related_id: id }).select('id')).length;
const stock = async (id: string) => Number((await shop.levelOf(id))?.on_hand);
const sum = async (variantId: string) => {
  const row = await shop
    .knex()('stock_movements')
    .where({ variant_id: variantId })
    .sum({ units: 'delta' })
    .first();
  return Number(row?.units);
};

it('a preview shows both totals and writes nothing', async () => {
  const order = await shop.placed(await shop.stocked(5), 2);
  const sent = { update: [{ order_item_id: await itemOf(order.id), quantity: 3 }], shipping_cents: 900 };
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${order.id}/edit/preview`, 'POST', sent),
  );
  expect(result).toMatchObject({
    totals_before: { total_cents: 4300, due_cents: 0 },
    totals_after: { subtotal_cents: 5700, shipping_cents: 900, total_cents: 6600, due_cents: 2300 },
    difference_cents: 2300,
  });
  expect(changes.rows).toEqual({});
});

it('more of it: stock is taken, the difference is due, and a link collects it', async () => {
  const [one, other] = [await shop.stocked(5), await shop.stocked(2)];
  const order = await shop.placed(one, 1);
  const sent = {
    add: [{ variant_id: other, quantity: 2, unit_cents: 500 }],
    update: [{ order_item_id: await itemOf(order.id), quantity: 2 }],
    settle: 'payment_link',
    expected_total_cents: 5300,
  };
  const { result, changes } = await shop.app.changesBy(() => edit(order.id, sent));
  expect(result.body.data).toMatchObject({
    status: 'processing',
    payment_status: 'partially_paid',
    total_cents: 5300,
    totals: { paid_cents: 2400, due_cents: 2900 },
    items: [{ quantity: 2 }, { quantity: 2, unit_cents: 500 }],
  });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect([await stock(one), await stock(other)]).toEqual([3, 0]);
  expect([await sum(one), await sum(other)]).toEqual([3, 0]);
  expect([await mailsOf('payment_link', order.id), await mailsOf('order_updated', order.id)]).toEqual([1, 0]);
  const { body } = await shop.staff.send(`/orders/${order.id}/events?type=edit`);
  expect((body.data as unknown as { data: object }[])[0]?.data).toMatchObject({
    lines: [{ quantity: [1, 2] }, { quantity: [0, 2], unit_cents: [null, 500] }],
    total_cents: [2400, 5300],
  });
  // A second line of goods that are gone is refused, and nothing of the edit stays.
  const refused = await edit(order.id, { add: [{ variant_id: other, quantity: 1 }], shipping_cents: 0 });
  expect([refused.status, detailsOf(refused).reason]).toEqual([400, 'OUT_OF_STOCK']);
  expect(await get(order.id)).toMatchObject({ total_cents: 5300 });
});

it('less of it: stock comes back, and money only as settle says', async () => {
  const variantId = await shop.stocked(5);
  const order = await shop.placed(variantId, 3);
  const kept = await edit(order.id, { update: [{ order_item_id: await itemOf(order.id), quantity: 2 }] });
  expect(kept.body.data).toMatchObject({ total_cents: 4300, refunds: [], totals: { due_cents: -1900 } });
  expect(await stock(variantId)).toBe(3);
  expect(await mailsOf('order_updated', order.id)).toBe(1);
  const { result, changes } = await shop.app.changesBy(() =>
    edit(order.id, { update: [{ order_item_id: itemIn(kept), quantity: 1 }], settle: 'refund' }),
  );
  expect(result.body.data).toMatchObject({
    total_cents: 2400,
    payment_status: 'partially_refunded',
    totals: { due_cents: 0, refunded_cents: 3800 },
    refunds: [{ status: 'succeeded', amount_cents: 3800, adjustment_cents: 3800 }],
  });
  expect(toldOf(changes.events).every((name) => name === 'order.updated')).toBe(true);
  expect([await stock(variantId), await sum(variantId)]).toEqual([4, 4]);
});

const itemIn = ({ body }: { body: Record<string, unknown> }) =>
  (body.data as unknown as Order).items[0]?.id as string;

it('a line that is removed is gone, and the promotion of the order is worked out again', async () => {
  const { id } = await shop.staff.data('/promotions', 'POST', {
    name: 'Tenth',
    type: 'coupon',
    class: 'order',
    effect: 'percent',
    value: 1000,
    code: 'EDIT10',
  });
  await shop.staff.data(`/promotions/${id}/activate`, 'POST', {});
  const [one, other] = [await shop.stocked(2), await shop.stocked(2)];
  const order = (await shop.staff.data('/orders', 'POST', {
    email: 'cas@example.test',
    shipping_address: ANN,
    shipping_cents: 0,
    discounts: [{ code: 'EDIT10' }],
    items: [
      { variant_id: one, quantity: 1 },
      { variant_id: other, quantity: 1 },
    ],
  })) as unknown as Order;
  expect(order).toMatchObject({ total_cents: 3420, order_discount_cents: 380 });
  await shop.staff.data(`/promotions/${id}/pause`, 'POST', {});
  const { body } = await edit(order.id, { remove: [order.items[0]?.id] });
  expect(body.data).toMatchObject({
    total_cents: 1710,
    order_discount_cents: 190,
    items: [{ id: order.items[1]?.id }],
    adjustments: [{ code: 'EDIT10', amount_cents: 190 }],
  });
  expect([await stock(one), await stock(other)]).toEqual([2, 1]);
});

it('an order that waits for the money of a link holds what it has then', async () => {
  const variantId = await shop.stocked(3);
  const order = (await shop.staff.data('/orders', 'POST', {
    email: 'dan@example.test',
    shipping_address: ANN,
    shipping_cents: 0,
    send_payment_link: true,
    items: [{ variant_id: variantId, quantity: 1 }],
  })) as unknown as Order;
  const { result, changes } = await shop.app.changesBy(() =>
    edit(order.id, { update: [{ order_item_id: order.items[0]?.id, quantity: 3 }] }),
  );
  expect([result.status, toldOf(changes.events)]).toEqual([200, []]);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 3, reserved: 3 });
  const more = await edit(order.id, { update: [{ order_item_id: order.items[0]?.id, quantity: 4 }] });
  expect(detailsOf(more).reason).toBe('OUT_OF_STOCK');
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 3, reserved: 3 });
});

it('an order to be paid later that is paid with what came goes on', async () => {
  const variantId = await shop.stocked(2);
  const { id } = await shop.placed(variantId, 2, 'offline');
  await shop.staff.data(`/orders/${id}/payments`, 'POST', { amount_cents: 2400, method: 'cash' });
  const { result, changes } = await shop.app.changesBy(async () =>
    edit(id, { update: [{ order_item_id: await itemOf(id), quantity: 1 }] }),
  );
  expect(result.body.data).toMatchObject({ status: 'processing', payment_status: 'paid', total_cents: 2400 });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
});

it('parallel edits take the last unit once', async () => {
  const variantId = await shop.stocked(3);
  const { id } = await shop.placed(variantId, 1);
  const other = await shop.placed(variantId, 1);
  const [mine, theirs] = [await itemOf(id), await itemOf(other.id)];
  const answers = await Promise.all([
    edit(id, { update: [{ order_item_id: mine, quantity: 2 }] }),
    edit(other.id, { update: [{ order_item_id: theirs, quantity: 2 }] }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect([await stock(variantId), await sum(variantId)]).toEqual([0, 0]);
  // An order is edited or cancelled; whoever is second is told.
  const [edited, cancelled] = await Promise.all([
    edit(id, { shipping_cents: 100 }),
    shop.staff.send(`/orders/${id}/cancel`, 'POST', { reason: 'Changed their mind' }),
  ]);
  expect(cancelled.status).toBe(200);
  expect([200, 400]).toContain(edited.status);
  expect(await get(id)).toMatchObject({ status: 'cancelled' });
});

it('what is wrong is refused, and nothing is written', async () => {
  const variantId = await shop.stocked(5);
  const { id } = await shop.placed(variantId, 1);
  const foreign = await itemOf((await shop.placed(variantId, 1)).id);
  const item = await itemOf(id);
  const update = (more: object) => ({ update: [{ order_item_id: item, ...more }] });
  const wrong: [object, number, string][] = [
    ...[0, -1, 1.5, 1000, '1'].map((quantity): [object, number, string] => [
      update({ quantity }),
      400,
      'update.0.quantity',
    ]),
    ...[-1, 0.5, 1e12].map((cents): [object, number, string] => [
      update({ unit_cents: cents }),
      400,
      'update.0.unit_cents',
    ]),
    [{ remove: [item] }, 400, '"remove'],
    [{ remove: [item], ...update({ quantity: 2 }) }, 400, 'remove.0'],
    [{ add: [{ variant_id: 'var_01ARZ3NDEKTSV4RRFFQ69G5FAV', quantity: 1 }] }, 400, 'add.0.variant_id'],
    [{ shipping_cents: -1 }, 400, 'shipping_cents'],
    [{ settle: 'gold' }, 400, 'settle'],
    [{ settle: 'refund' }, 400, 'settle'],
    [{ settle: 'payment_link' }, 400, 'settle'],
    [{ shipping_cents: 600, expected_total_cents: 1 }, 400, 'TOTAL_CHANGED'],
    [{ update: [{ order_item_id: foreign, quantity: 2 }] }, 404, ''],
  ];
  const { changes } = await shop.app.changesBy(async () => {
    for (const [body, status, says] of wrong) {
      const answer = await edit(id, body);
      expect([body, answer.status, JSON.stringify(answer.body)]).toEqual([
        body,
        status,
        expect.stringContaining(says),
      ]);
    }
  });
  expect(changes.rows).toEqual({});
});

it('an order that has left, ended, or is being paid is not edited', async () => {
  const variantId = await shop.stocked(9);
  const shipped = await shop.placed(variantId, 2);
  await shop.staff.data(`/orders/${shipped.id}/shipments`, 'POST', {
    items: [{ order_item_id: await itemOf(shipped.id), quantity: 1 }],
  });
  const cancelled = await shop.placed(variantId, 1);
  await shop.staff.data(`/orders/${cancelled.id}/cancel`, 'POST', { reason: 'Test' });
  const refunded = await shop.placed(variantId, 2);
  await shop.staff.data(`/orders/${refunded.id}/refunds`, 'POST', {
    items: [{ order_item_id: await itemOf(refunded.id), quantity: 1 }],
    reason: 'Broken',
  });
  for (const { id } of [shipped, cancelled, refunded])
    expect(await shop.staff.refusal(`/orders/${id}/edit`, 'POST', { shipping_cents: 0 })).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  for (const { id } of [shipped, cancelled])
    expect(
      await shop.staff.refusal(`/orders/${id}`, 'PATCH', { shipping_address: { ...ANN, city: 'Chicago' } }),
    ).toEqual([400, 'VALIDATION_ERROR', 'INVALID_TRANSITION']);
  const later = await shop.placed(variantId, 1, 'offline');
  const { url } = (await shop.staff.data(`/orders/${later.id}/payment-link`, 'POST', {})) as unknown as {
    url: string;
  };
  await shop.app.send('/api/store/checkout/pay-link', {
    method: 'POST',
    body: { token: url.split('/').at(-1), processor: 'fake', source_id: 'needs_action' },
  });
  expect(await shop.staff.refusal(`/orders/${later.id}/edit`, 'POST', { shipping_cents: 0 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'PAYMENT_IN_PROGRESS',
  ]);
});

it('addresses and email are changed before anything leaves, with a line in the history', async () => {
  const { id } = await shop.placed(await shop.stocked(1), 1);
  const sent = {
    shipping_address: { ...ANN, name: 'Ann B. Miller', city: 'Chicago', postal_code: '60601' },
    email: 'ann.new@example.test',
  };
  const { result, changes } = await shop.app.changesBy(() => shop.staff.data(`/orders/${id}`, 'PATCH', sent));
  expect(result).toMatchObject({
    email: 'ann.new@example.test',
    addresses: {
      shipping: {
        first_name: 'Ann B.',
        last_name: 'Miller',
        city: 'Chicago',
        postal_code: '60601',
        state: 'IL',
      },
      billing: { city: 'Springfield' },
    },
    total_cents: 2400,
  });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  const { body } = await shop.staff.send(`/orders/${id}/events?type=edit`);
  expect((body.data as unknown as { data: object }[])[0]?.data).toMatchObject({
    shipping_address: { from: { city: 'Springfield' }, to: { city: 'Chicago' } },
    email: { from: 'ann@example.test', to: 'ann.new@example.test' },
  });
  const again = await shop.app.changesBy(() => shop.staff.data(`/orders/${id}`, 'PATCH', sent));
  expect(again.changes.rows).toEqual({});
  const { status, body: bad } = await shop.staff.send(`/orders/${id}`, 'PATCH', {
    shipping_address: { name: 'Ann', country: 'US', state: 'XX' },
  });
  expect([status, JSON.stringify(bad.details)]).toEqual([
    400,
    expect.stringContaining('shipping_address.line1'),
  ]);
});
