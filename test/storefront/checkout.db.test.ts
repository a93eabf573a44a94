// From a cart to a paid order: reserve, charge, settle (storefront-domain 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as carts from '#storefront/buying/cart/index.ts';
import { placeOrder } from '#storefront/buying/checkout/index.ts';
import { type Payment, sync, syncPayments } from '#storefront/orders/payments/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';
import { interruptedCtx } from '../support/interrupted-ctx.ts';
import { runJob } from '../support/jobs.ts';
import { emailsOf } from '../support/smtp-server.ts';
import { ANN, detailsOf, newShopper, type PlacedShown, type Shopper } from './shopper.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
let methodId: string;
beforeAll(async () => {
  app = await startApp({
    productionMode: false,
    pins: { payment_processor: 'fake', payment_processors_enabled: '["offline"]' },
  });
  staff = await storeClient(app);
  const zone = await staff.data('/shipping/zones', 'POST', { name: 'World', regions: [{ country: '*' }] });
  const method = await staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'Parcel',
    kind: 'flat',
  });
  await staff.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 500 }] });
  methodId = method.id;
});
afterAll(() => app.close());

const knex = () => app.instance.database.db.knex;

async function stocked(units: number, more: object = {}): Promise<string> {
  const sku = `CHECK-${crypto.randomUUID()}`;
  const made = await staff.data(
    '/products',
    'POST',
    mug({ status: 'active', variants: [{ sku, price_cents: 1900, stock: units }], ...more }),
  );
  return (made.variants as [{ id: string }])[0].id;
}

/** A shopper with a cart of one thing. */
async function withCart(variantId: string, quantity = 1): Promise<Shopper> {
  const shopper = await newShopper(app);
  await shopper.data('/cart/add', { variant_id: variantId, quantity });
  return shopper;
}

const order = (more: object = {}) => ({
  email: 'ann@example.test',
  shipping_address: ANN,
  shipping_method_id: methodId,
  processor: 'offline',
  ...more,
});

const placedIn = ({ body }: HttpReply) => body.data as unknown as PlacedShown;

const levelOf = (id: string) =>
  knex()('inventory_levels').where({ variant_id: id }).first('on_hand', 'reserved');

it('places an order that is paid later: number, stock, addresses, and one event', async () => {
  const variantId = await stocked(5);
  const ann = await withCart(variantId, 2);
  const { result: reply, changes } = await app.changesBy(() =>
    ann.post('/checkout', order({ expected_total_cents: 4300, note: 'Ring twice' })),
  );
  expect(reply.status).toBe(201);
  const { order: placed, payment } = reply.body.data as unknown as PlacedShown;
  expect(payment).toBeNull();
  expect(placed).toMatchObject({
    order_number: expect.stringMatching(/^\d{4,}$/),
    status: 'pending',
    payment_status: 'unpaid',
    fulfillment_status: 'unfulfilled',
    email: 'ann@example.test',
    subtotal_cents: 3800,
    shipping_cents: 500,
    total_cents: 4300,
    due_cents: 4300,
    shipping_method: 'Parcel',
    note: 'Ring twice',
    placed_at: app.ctx.now(),
    items: [{ quantity: 2, unit_cents: 1900, total_cents: 3800 }],
    addresses: { shipping: { last_name: 'Miller', state: 'IL' }, billing: { line1: '1 Main Street' } },
  });
  expect(changes.events).toContain('order.created');
  expect(await levelOf(variantId)).toEqual({ on_hand: 3, reserved: 0 });
  expect((await ann.data('/cart')).items).toEqual([]);
});

it('answers the same request again with the same order', async () => {
  const ann = await withCart(await stocked(5));
  const first = await ann.post('/checkout', order());
  const again = await ann.post('/checkout', order());
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(placedIn(again).order.id).toBe(placedIn(first).order.id);
  const bob = await withCart(await stocked(5));
  const key = { 'Idempotency-Key': 'one-click' };
  const [one, other] = [await bob.post('/checkout', order(), key), await bob.post('/checkout', order(), key)];
  expect([one.status, other.status]).toEqual([201, 201]);
  expect(other.body).toEqual(one.body);
  const changed = await bob.post('/checkout', order({ note: 'else' }), key);
  expect([changed.status, detailsOf(changed).reason]).toEqual([400, 'IDEMPOTENCY_MISMATCH']);
});

it('charges a card, and is processing when the money is there', async () => {
  const variantId = await stocked(5);
  const ann = await withCart(variantId);
  const { order: placed, payment } = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: 'fake', source_id: 'ok' }),
  );
  expect(payment).toMatchObject({
    kind: 'card',
    status: 'captured',
    amount_cents: 2400,
    captured_cents: 2400,
  });
  expect(placed).toMatchObject({
    status: 'processing',
    payment_status: 'paid',
    paid_cents: 2400,
    due_cents: 0,
  });
  expect(await levelOf(variantId)).toEqual({ on_hand: 4, reserved: 0 });
});

it('keeps the goods of a declined payment for another try, which pays the same order', async () => {
  const variantId = await stocked(1);
  const ann = await withCart(variantId);
  const declined = await ann.post('/checkout', order({ processor: 'fake', source_id: 'declined' }));
  expect([declined.status, detailsOf(declined).reason]).toEqual([400, 'PAYMENT_DECLINED']);
  expect(await levelOf(variantId)).toEqual({ on_hand: 1, reserved: 1 });
  const { order_number } = detailsOf(declined);
  expect(await ann.data(`/checkout/status/${order_number}`)).toEqual({
    order_status: 'pending',
    payment_status: 'failed',
  });
  const bob = await newShopper(app);
  expect(await bob.refusal(`/checkout/status/${order_number}`)).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await bob.refusal('/cart/add', { variant_id: variantId })).toEqual([
    400,
    'VALIDATION_ERROR',
    'OUT_OF_STOCK',
  ]);
  const paid = await ann.data<PlacedShown>('/checkout/retry', {
    order_number,
    processor: 'fake',
    source_id: 'ok',
  });
  expect(paid.order).toMatchObject({ order_number, status: 'processing', payment_status: 'paid' });
  expect(await levelOf(variantId)).toEqual({ on_hand: 0, reserved: 0 });
});

it('goes on after 3-D Secure, and a forged return changes nothing', async () => {
  const ann = await withCart(await stocked(5));
  const begun = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: 'fake', source_id: 'needs_action' }),
  );
  expect(begun.payment).toMatchObject({ status: 'requires_action', next_action: expect.any(Object) });
  const { order_number } = begun.order;
  const sent = { order_number, payment_id: begun.payment?.id };
  const bob = await newShopper(app);
  expect(await bob.refusal('/checkout/confirm', sent)).toEqual([404, 'NOT_FOUND', undefined]);
  const done = await ann.data<PlacedShown>('/checkout/confirm', sent);
  expect(done).toMatchObject({ order: { status: 'processing' }, payment: { status: 'captured' } });
  expect((await ann.data<PlacedShown>('/checkout/confirm', sent)).order.id).toBe(done.order.id);
});

it('asks the processor when its answer is lost: charged once, placed once', async () => {
  const variantId = await stocked(5);
  const ann = await withCart(variantId);
  const lost = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: 'fake', source_id: 'captured_answer_lost' }),
  );
  expect(lost.payment?.status).toBe('pending');
  app.clock.advance(180);
  expect(await syncPayments(app.ctx)).toMatchObject({ payments: 1 });
  expect(await ann.data(`/checkout/status/${lost.order.order_number}`)).toEqual({
    order_status: 'processing',
    payment_status: 'paid',
  });
  expect(await levelOf(variantId)).toEqual({ on_hand: 4, reserved: 0 });
});

it('answers a request that is sent again with the order that a report places at this very moment', async () => {
  const { ctx } = app;
  const owner = { customerId: null, sessionKey: 'sent-again'.padEnd(64, '-') };
  await carts.add(ctx, owner, { variantId: await stocked(5, { type: 'digital' }), quantity: 1 });
  await carts.writeExisting(ctx, owner, { email: 'ann@example.test' });
  const input = { processor: 'fake', sourceId: 'captured_answer_lost', termsAccepted: true };
  const ways = () => ({ returnUrl: 'http://localhost/return', cancelUrl: 'http://localhost/return' });
  const { order, payment } = await placeOrder(ctx, owner, input, ways);
  expect([order.placedAt, payment?.status]).toEqual([null, 'pending']);
  const isBefore = (sql: string) => /from .?payments/.test(sql);
  const raced = interruptedCtx(ctx, isBefore, () => sync(ctx, payment as Payment));
  const again = await placeOrder(raced, owner, input, ways);
  expect(again).toMatchObject({ isReplay: true, order: { id: order.id, placedAt: expect.any(String) } });
  expect(again.payment).toMatchObject({ id: payment?.id, status: 'captured' });
});

it('does not place an order whose processor took another amount', async () => {
  const ann = await withCart(await stocked(5));
  const odd = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: 'fake', source_id: 'wrong_amount' }),
  );
  expect(odd.order).toMatchObject({ status: 'pending', placed_at: null });
  const history = await knex()('order_events').where({ order_id: odd.order.id, type: 'payment' });
  expect(history.map(({ data }) => JSON.parse(data).problem).filter(Boolean)).toEqual(['amount_mismatch']);
});

it('gives back what an order holds when its time is over, and the cart can be ordered again', async () => {
  const variantId = await stocked(1);
  const ann = await withCart(variantId);
  await ann.post('/checkout', order({ processor: 'fake', source_id: 'declined' }));
  app.clock.advance(61 * 60);
  await runJob(app.ctx, 'expire-unplaced-orders');
  expect(await levelOf(variantId)).toEqual({ on_hand: 1, reserved: 0 });
  const again = await ann.data<PlacedShown>('/checkout', order());
  expect(again.order).toMatchObject({ status: 'pending', items: [{ quantity: 1 }] });
});

it('says everything that is missing at once, and charges nothing that was not shown', async () => {
  const ann = await withCart(await stocked(5));
  const bare = await ann.post('/checkout', { processor: 'offline' });
  expect([bare.status, bare.body.error_code]).toEqual([400, 'VALIDATION_MISSING_FIELD']);
  expect(detailsOf(bare).fields?.map(({ field }) => field)).toEqual(['email', 'shipping_address']);
  expect(await ann.refusal('/checkout', order({ expected_total_cents: 1 }))).toEqual([
    400,
    'VALIDATION_ERROR',
    'TOTAL_CHANGED',
  ]);
  expect(await ann.refusal('/checkout', order({ processor: 'paypal' }))).toEqual([
    400,
    'VALIDATION_ERROR',
    'PAYMENT_UNAVAILABLE',
  ]);
  expect(await ann.refusal('/checkout', order({ save_payment_method: true }))).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  for (const email of ['a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test', 'ünï@x.test', 'no', '<a@b.test>'])
    expect((await ann.refusal('/checkout', order({ email }))).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
  const empty = await newShopper(app);
  expect((await empty.refusal('/checkout', order())).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
  const { ok, problems } = await ann.data('/checkout/validate', order());
  expect({ ok, problems }).toEqual({ ok: true, problems: [] });
});

it('one order of parallel requests of one cart', async () => {
  const variantId = await stocked(10);
  const ann = await withCart(variantId);
  await ann.data('/checkout/contact', { email: 'ann@example.test' });
  await ann.data('/checkout/addresses', { shipping_address: ANN });
  await ann.data('/checkout/shipping-method', { method_id: methodId });
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => ann.post('/checkout', { processor: 'fake', source_id: 'ok' })),
  );
  expect(replies.every(({ status }) => status === 201 || status === 200)).toBe(true);
  expect(new Set(replies.map((reply) => placedIn(reply).order.id)).size).toBe(1);
  expect(await levelOf(variantId)).toEqual({ on_hand: 9, reserved: 0 });
});

it('pays with a gift card as far as it reaches, gives it back when the payment fails, and spends it once', async () => {
  const issued = await staff.data('/gift-cards', 'POST', { amount_cents: 1000 });
  const code = String(issued.code);
  const ann = await withCart(await stocked(5));
  expect(await ann.refusal('/cart/gift-card', { code: 'ZZZZ-ZZZZ-ZZZZ-ZZZZ' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'GIFT_CARD_INVALID',
  ]);
  const cart = await ann.data('/cart/coupon', { code: code.toLowerCase() });
  expect(cart).toMatchObject({
    total_cents: 1900,
    amount_due_cents: 900,
    gift_cards: [{ will_use_cents: 1000 }],
  });
  await ann.post('/checkout', order({ processor: 'fake', source_id: 'declined' }));
  expect(await staff.data(`/gift-cards/${issued.id}`)).toMatchObject({
    balance_cents: 1000,
    held_cents: 1000,
  });
  const { order: placed, payment } = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: 'fake', source_id: 'ok' }),
  );
  expect(payment).toMatchObject({ amount_cents: 1400, status: 'captured' });
  expect(placed).toMatchObject({ total_cents: 2400, gift_card_cents: 1000, paid_cents: 1400, due_cents: 0 });
  expect(await staff.data(`/gift-cards/${issued.id}`)).toMatchObject({
    balance_cents: 0,
    held_cents: 0,
    status: 'redeemed',
  });
});

it('needs no payment where a gift card pays all of it', async () => {
  const issued = await staff.data('/gift-cards', 'POST', { amount_cents: 5000 });
  const ann = await withCart(await stocked(5));
  await ann.data('/cart/gift-card', { code: issued.code });
  const { order: placed, payment } = await ann.data<PlacedShown>(
    '/checkout',
    order({ processor: undefined }),
  );
  expect(payment).toBeNull();
  expect(placed).toMatchObject({ status: 'processing', payment_status: 'paid', gift_card_cents: 2400 });
  expect(await staff.data(`/gift-cards/${issued.id}`)).toMatchObject({ balance_cents: 2600, held_cents: 0 });
});

it('confirms an order by one mail in the language of the shopper, to the address as it was checked', async () => {
  const ann = await withCart(await stocked(5));
  const sent = order({ email: 'ann@mail.test', shipping_address: { ...ANN, name: 'Ann <b>Miller</b>' } });
  const { order: placed } = await ann.data<PlacedShown>('/checkout', sent);
  await ann.post('/checkout', sent);
  const mails = (await emailsOf(app.ctx)).filter((one) => one.related_id === placed.id);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ template: 'order_confirmation', locale: 'en' });
});
