// Orders that staff write for customers: drafts, placing them, and the link with which they are paid (storefront-domain 6.1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtEvents } from '#storefront/contract/events.ts';
import { expireUnplaced } from '#storefront/orders/payments/index.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';
import { storeClient } from './store-client.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

type Order = Record<string, unknown> & {
  id: string;
  order_number: string;
  total_cents: number;
  version: number;
  items: { id: string; quantity: number }[];
};
/** What webhooks are told. */
const toldOf = (events: readonly string[]) =>
  events.filter((name) => (builtEvents as readonly string[]).includes(name));
const EMAIL = 'bea@example.test';

const create = async (items: object[], more: object = {}) =>
  (await shop.staff.data('/orders', 'POST', {
    email: EMAIL,
    shipping_address: ANN,
    shipping_method_id: shop.methodId,
    items,
    ...more,
  })) as unknown as Order;
const link = async (
  id: string,
  body: object = {},
): Promise<{ url: string; token: string; expires_at: string }> => {
  const made = (await shop.staff.data(`/orders/${id}/payment-link`, 'POST', body)) as unknown as {
    url: string;
    expires_at: string;
  };
  return { ...made, token: made.url.split('/').at(-1) as string };
};
const pay = (body: object) => shop.app.send('/api/store/checkout/pay-link', { method: 'POST', body });
const reasonOf = ({ status, body }: Awaited<ReturnType<typeof pay>>) => [
  status,
  (body.details as { reason?: string } | undefined)?.reason,
];
const mailsOf = async (template: string, id: string) =>
  (await shop
    .knex()('email_log')
    .where({ template, related_id: id })
    .select('to_address', 'locale')) as object[];

it('a draft holds nothing, has no number, tells no webhook, and is placed to be paid later', async () => {
  const variantId = await shop.stocked(5);
  const made = await shop.app.changesBy(() =>
    create([{ variant_id: variantId, quantity: 2 }], { draft: true }),
  );
  expect(made.result).toMatchObject({
    status: 'draft',
    order_number: null,
    placed_at: null,
    source: 'admin',
    email: EMAIL,
    total_cents: 4300,
    shipping_method: 'Parcel',
    items: [{ quantity: 2, unit_cents: 1900 }],
    addresses: { shipping: { city: 'Springfield' }, billing: { city: 'Springfield' } },
  });
  expect(toldOf(made.changes.events)).toEqual([]);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 5, reserved: 0 });

  const { id } = made.result;
  const placed = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${id}/place`, 'POST', { payment: 'offline', expected_total_cents: 4300 }),
  );
  expect(placed.result).toMatchObject({
    id,
    status: 'pending',
    payment_status: 'unpaid',
    processor: 'offline',
    totals: { due_cents: 4300 },
    shipping_method: 'Parcel',
  });
  expect((placed.result as unknown as Order).order_number).toMatch(/^\d+$/);
  expect(toldOf(placed.changes.events)).toEqual(['order.created']);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 3, reserved: 0 });
  expect(await mailsOf('order_confirmation', id)).toHaveLength(1);
  expect(await shop.staff.refusal(`/orders/${id}/place`, 'POST', { payment: 'offline' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
});

it('a price, shipping and discounts of staff are priced by the engine, and each discount is a row of its line', async () => {
  const [one, other] = [await shop.stocked(5), await shop.stocked(5)];
  const order = await create(
    [
      { variant_id: one, quantity: 3, unit_cents: 1000 },
      { variant_id: other, quantity: 1 },
    ],
    {
      draft: true,
      shipping_method_id: undefined,
      shipping_cents: 250,
      discounts: [{ label: 'Loyal', amount_cents: 490 }],
    },
  );
  expect(order).toMatchObject({
    subtotal_cents: 4900,
    order_discount_cents: 490,
    shipping_cents: 250,
    total_cents: 4660,
    shipping_method: 'Shipping',
    adjustments: [
      { kind: 'manual', label: 'Loyal', amount_cents: 300 },
      { kind: 'manual', label: 'Loyal', amount_cents: 190 },
    ],
  });
  const placed = await shop.staff.data(`/orders/${order.id}/place`, 'POST', { payment: 'offline' });
  expect(placed).toMatchObject({ total_cents: 4660, order_discount_cents: 490, shipping_method: 'Shipping' });
});

it('a code of a promotion is used when the draft is placed, and one that lowers nothing is refused', async () => {
  const { id } = await shop.staff.data('/promotions', 'POST', {
    name: 'Ten off',
    type: 'coupon',
    class: 'order',
    effect: 'percent',
    value: 1000,
    code: 'STAFF10',
    usage_limit: 1,
  });
  await shop.staff.data(`/promotions/${id}/activate`, 'POST', {});
  const variantId = await shop.stocked(5);
  const sent = { draft: true, discounts: [{ code: 'staff10' }] };
  const [first, second] = [
    await create([{ variant_id: variantId, quantity: 1 }], sent),
    await create([{ variant_id: variantId, quantity: 1 }], sent),
  ];
  expect(first).toMatchObject({ order_discount_cents: 190, total_cents: 2210 });
  const usedCount = async () =>
    Number((await shop.knex()('promotions').where({ id }).first('used_count')).used_count);
  expect(await usedCount()).toBe(0);
  await shop.staff.data(`/orders/${first.id}/place`, 'POST', { payment: 'offline' });
  expect(await usedCount()).toBe(1);
  expect(await shop.staff.refusal(`/orders/${second.id}/place`, 'POST', { payment: 'offline' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'PROMOTION_EXHAUSTED',
  ]);
  expect(
    await shop.staff.refusal('/orders', 'POST', {
      email: EMAIL,
      items: [{ variant_id: variantId, quantity: 1 }],
      ...sent,
      discounts: [{ code: 'NONE' }],
    }),
  ).toEqual([400, 'VALIDATION_ERROR', 'PROMOTION_INVALID']);
});

it('with a payment link its goods are held, and it is placed when the link has brought the money', async () => {
  const variantId = await shop.stocked(3);
  const order = await create([{ variant_id: variantId, quantity: 2 }], { send_payment_link: true });
  expect(order).toMatchObject({
    status: 'pending',
    placed_at: null,
    payment_status: 'unpaid',
    processor: null,
  });
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 3, reserved: 2 });
  expect(await mailsOf('payment_link', order.id)).toEqual([{ to_address: EMAIL, locale: 'en' }]);
  const first = await link(order.id);
  const second = await link(order.id, { email: 'boss@example.test' });
  expect(await mailsOf('payment_link', order.id)).toHaveLength(3);
  // The text of the link is stored nowhere, and an earlier one has ended.
  const rows = JSON.stringify(await shop.knex()('one_time_tokens').select('*'));
  expect(rows).not.toContain(second.token);
  expect(reasonOf(await pay({ token: first.token, processor: 'fake', source_id: 'ok' }))).toEqual([
    400,
    'TOKEN_INVALID',
  ]);
  expect(reasonOf(await pay({ token: second.token, processor: 'fake', source_id: 'declined' }))).toEqual([
    400,
    'PAYMENT_DECLINED',
  ]);
  const paid = await shop.app.changesBy(() =>
    pay({ token: second.token, processor: 'fake', source_id: 'ok', expected_total_cents: 4300 }),
  );
  expect(paid.result.body.data).toMatchObject({
    order: { id: order.id, status: 'processing', payment_status: 'paid', processor: 'fake' },
    payment: { status: 'captured' },
  });
  expect(toldOf(paid.changes.events)).toEqual(['order.created']);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 1, reserved: 0 });
  expect(reasonOf(await pay({ token: second.token, processor: 'fake', source_id: 'ok' }))).toEqual([
    400,
    'INVALID_TRANSITION',
  ]);
});

it('a link also takes the money of an order that was placed to be paid later, and offline may be chosen with it', async () => {
  const placed = await shop.placed(await shop.stocked(1), 1, 'offline');
  const { token } = await link(placed.id);
  const paid = await shop.app.changesBy(() => pay({ token, processor: 'fake', source_id: 'ok' }));
  expect(paid.result.body.data).toMatchObject({ order: { id: placed.id, payment_status: 'paid' } });
  expect(toldOf(paid.changes.events)).toEqual(['order.updated']);

  const order = await create([{ variant_id: await shop.stocked(1), quantity: 1 }], {
    send_payment_link: true,
  });
  const other = await link(order.id);
  const chosen = await shop.app.changesBy(() => pay({ token: other.token, processor: 'offline' }));
  expect(chosen.result.body.data).toMatchObject({
    order: { id: order.id, status: 'pending', payment_status: 'unpaid', processor: 'offline' },
    payment: null,
  });
  expect(toldOf(chosen.changes.events)).toEqual(['order.created']);
});

it('a link is refused for what cannot be paid', async () => {
  const variantId = await shop.stocked(9);
  const draft = await create([{ variant_id: variantId, quantity: 1 }], { draft: true });
  const paid = await shop.placed(variantId);
  const atCheckout = await shop.placed(variantId, 1, 'fake', { source_id: 'needs_action' });
  for (const id of [draft.id, paid.id, atCheckout.id])
    expect(await shop.staff.refusal(`/orders/${id}/payment-link`, 'POST', {})).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  expect(await shop.staff.refusal('/orders/999999/payment-link', 'POST', {})).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect(reasonOf(await pay({ token: 'x'.repeat(43), processor: 'fake' }))).toEqual([400, 'TOKEN_INVALID']);
});

it('an order whose link nobody paid ends in time, and its goods are there again', async () => {
  const variantId = await shop.stocked(1);
  const order = await create([{ variant_id: variantId, quantity: 1 }], { send_payment_link: true });
  shop.app.clock.advance(15 * 86_400);
  await expireUnplaced(shop.app.ctx);
  expect(await shop.staff.data(`/orders/${order.id}`)).toMatchObject({
    status: 'cancelled',
    cancel_reason: 'payment_expired',
  });
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 1, reserved: 0 });
});

it('a draft that nobody wants is cancelled and tells nobody', async () => {
  const draft = await create([{ variant_id: await shop.stocked(1), quantity: 1 }], { draft: true });
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${draft.id}/cancel`, 'POST', { reason: 'Not wanted' }),
  );
  expect(result).toMatchObject({ status: 'cancelled', order_number: null });
  expect(toldOf(changes.events)).toEqual([]);
});

it('is made once with the same Idempotency-Key, and parallel placing places it once', async () => {
  const variantId = await shop.stocked(1);
  const { secret } = await shop.app.adminToken('owner');
  const body = {
    email: EMAIL,
    items: [{ variant_id: variantId, quantity: 1 }],
    shipping_address: ANN,
    shipping_cents: 0,
    draft: true,
  };
  const send = () =>
    shop.app.send('/api/store/orders', {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${secret}`, 'Idempotency-Key': 'staff-order-1' },
    });
  const [one, other] = [await send(), await send()];
  const { id } = one.body.data as unknown as Order;
  expect([one.status, (other.body.data as unknown as Order).id]).toEqual([201, id]);
  const answers = await Promise.all(
    [1, 2, 3].map(() => shop.staff.send(`/orders/${id}/place`, 'POST', { payment: 'offline' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 0, reserved: 0 });
});

it('what is wrong is refused with its field', async () => {
  const variantId = await shop.stocked(1);
  const good = {
    email: EMAIL,
    items: [{ variant_id: variantId, quantity: 1 }],
    shipping_address: ANN,
    shipping_cents: 0,
  };
  const line = (more: object) => ({ items: [{ variant_id: variantId, quantity: 1, ...more }] });
  const wrong: [object, string][] = [
    [{ email: undefined }, 'email'],
    [{ email: 'nobody' }, 'email'],
    [{ items: [] }, 'items'],
    [{ items: undefined }, 'items'],
    ...[0, -1, 1.5, 1000, 1e12, '2', null].map((quantity): [object, string] => [
      line({ quantity }),
      'items.0.quantity',
    ]),
    ...[-1, 0.5, 1e12, '5'].map((cents): [object, string] => [
      line({ unit_cents: cents }),
      'items.0.unit_cents',
    ]),
    [line({ variant_id: 'var_01ARZ3NDEKTSV4RRFFQ69G5FAV' }), 'items.0.variant_id'],
    [{ shipping_cents: -1 }, 'shipping_cents'],
    [{ shipping_method_id: 'smt_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, 'shipping_method_id'],
    [{ shipping_address: { country: 'US' } }, 'shipping_address'],
    [{ discounts: [{ label: 'Nothing' }] }, 'discounts.0'],
    [{ discounts: [{ code: 'A', amount_cents: 5 }] }, 'discounts.0'],
    [{ discounts: [{ amount_cents: 0 }] }, 'discounts.0.amount_cents'],
    [{ discounts: [{ amount_cents: 1901 }] }, 'discounts.0.amount_cents'],
    [{ draft: true, send_payment_link: true }, 'send_payment_link'],
  ];
  const { changes } = await shop.app.changesBy(async () => {
    for (const [more, field] of wrong) {
      const { status, body } = await shop.staff.send('/orders', 'POST', { ...good, ...more });
      expect([more, status, JSON.stringify(body.details)]).toEqual([
        more,
        400,
        expect.stringContaining(`"${field}`),
      ]);
    }
    expect(
      await shop.staff.refusal('/orders', 'POST', { ...good, customer_id: 'cst_01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
    ).toEqual([404, 'NOT_FOUND', undefined]);
    // More than there is: nothing stays of an order that could not be placed.
    expect(await shop.staff.refusal('/orders', 'POST', { ...good, ...line({ quantity: 2 }) })).toEqual([
      400,
      'VALIDATION_ERROR',
      'OUT_OF_STOCK',
    ]);
  });
  expect(changes.rows).toEqual({});
});

it('a draft is not placed while something is missing, or paid in a way that is not there', async () => {
  const variantId = await shop.stocked(2);
  const draft = await create([{ variant_id: variantId, quantity: 1 }], {
    draft: true,
    shipping_address: undefined,
    shipping_method_id: undefined,
  });
  const place = (body: object) => shop.staff.send(`/orders/${draft.id}/place`, 'POST', body);
  const { body: noAddress } = await place({ payment: 'offline' });
  expect(JSON.stringify(noAddress.details)).toContain('"shipping_address"');
  await shop.staff.data(`/orders/${draft.id}`, 'PATCH', { shipping_address: ANN });
  const { body: noShipping } = await place({ payment: 'offline' });
  expect(JSON.stringify(noShipping.details)).toContain('"shipping_cents"');
  await shop.staff.data(`/orders/${draft.id}/edit`, 'POST', { shipping_cents: 700 });
  for (const payment of ['on_account', 'saved_method', 'gold', null])
    expect([payment, (await place({ payment })).status]).toEqual([payment, 400]);
  expect((await place({ payment: 'offline', expected_total_cents: 1 })).body.details).toMatchObject({
    reason: 'TOTAL_CHANGED',
    totals: { total_cents: 2600 },
  });
  expect((await place({ payment: 'link' })).body.data).toMatchObject({
    status: 'pending',
    total_cents: 2600,
  });
});

it('viewers may not write orders', async () => {
  const viewer = await storeClient(shop.app, 'viewer');
  for (const path of ['/orders', '/orders/1001/place', '/orders/1001/edit', '/orders/1001/payment-link'])
    expect([path, (await viewer.send(path, 'POST', {})).status]).toEqual([path, 403]);
});
