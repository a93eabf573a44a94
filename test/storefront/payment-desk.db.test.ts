// What staff do with payments, against Stripe on this machine: capture, give up, ask, and handle reports again
// (storefront-domain 6.2); and what jobs do with payments and orders that wait.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signFake } from '#storefront/orders/processors/index.ts';
import { testClock } from '../support/context.ts';
import { runJob } from '../support/jobs.ts';
import { STRIPE_KEYS, StripeServer } from '../support/processors/stripe-server.ts';
import { emailsOf } from '../support/smtp-server.ts';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';
import { detailsOf, type PlacedShown } from './shopper.ts';

let stripe: StripeServer;
let shop: OrderShop;
beforeAll(async () => {
  const clock = testClock();
  stripe = await StripeServer.open({ now: () => shop?.app.clock.epochMs() ?? clock.epochMs() });
  shop = await openOrderShop({
    env: { APPCTL_STRIPE_API_URL: stripe.url },
    pins: {
      ...STRIPE_KEYS,
      payment_processor: 'stripe',
      payment_processors_enabled: '["offline","fake"]',
      payment_capture_mode: 'manual',
    },
  });
});
afterAll(async () => {
  await shop.app.close();
  await stripe.close();
});

type Payment = Record<string, unknown> & { id: string; transaction_id: string; status: string };
type Order = Record<string, unknown> & { id: string; payments: Payment[]; refunds: object[] };

const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Order;
const only = ({ payments }: Order): Payment => payments[0] as Payment;
const balanceOf = (payment: Payment): number => stripe.balanceCents(payment.id);

/** An order whose money is held. */
async function authorized(variantId?: string): Promise<{ order: Order; payment: Payment; path: string }> {
  const { id } = await shop.placed(variantId ?? (await shop.stocked(3)), 1, 'stripe', {
    source_id: 'pm_card_visa',
  });
  const order = await get(id);
  return { order, payment: only(order), path: `/orders/${id}/payments/${only(order).id}` };
}

it('takes what was authorized, once, and tells one webhook', async () => {
  const { order, payment, path } = await authorized();
  expect(order).toMatchObject({ status: 'processing', payment_status: 'authorized', paid_cents: 0 });
  const { result, changes } = await shop.app.changesBy(() => shop.staff.send(`${path}/capture`, 'POST', {}));
  expect([result.status, result.body.data]).toMatchObject([
    200,
    { status: 'captured', captured_cents: 2400, refundable_cents: 2400 },
  ]);
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await get(order.id)).toMatchObject({ payment_status: 'paid', paid_cents: 2400 });
  expect(balanceOf(payment)).toBe(2400);
  expect(await shop.staff.refusal(`${path}/capture`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  expect(balanceOf(payment)).toBe(2400);
});

it('takes a part, never more than was authorized, and not of the payment of another order', async () => {
  const { order, payment, path } = await authorized();
  const other = await authorized();
  expect((await shop.staff.refusal(`${path}/capture`, 'POST', { amount_cents: 2401 })).slice(0, 2)).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const stranger = `/orders/${other.order.id}/payments/${payment.id}`;
  for (const verb of ['capture', 'void', 'sync'])
    expect(await shop.staff.refusal(`${stranger}/${verb}`, 'POST', {})).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
  expect(await shop.staff.data(`${path}/capture`, 'POST', { amount_cents: 1000 })).toMatchObject({
    status: 'captured',
    captured_cents: 1000,
  });
  expect(await get(order.id)).toMatchObject({
    payment_status: 'partially_paid',
    paid_cents: 1000,
    due_cents: 1400,
  });
  expect([balanceOf(payment), balanceOf(other.payment)]).toEqual([1000, 0]);
});

it('a capture that the processor does not answer takes nothing twice', async () => {
  const { payment, path } = await authorized();
  stripe.next('done_then_drop');
  await shop.staff.send(`${path}/capture`, 'POST', {});
  expect((await shop.staff.send(`${path}/sync`, 'POST', {})).body.data).toMatchObject({ status: 'captured' });
  expect(balanceOf(payment)).toBe(2400);
});

it('gives up what was authorized; what the processor has taken meanwhile it does not', async () => {
  const { order, payment, path } = await authorized();
  expect(await shop.staff.data(`${path}/void`, 'POST', {})).toMatchObject({ status: 'voided' });
  expect(await get(order.id)).toMatchObject({ payment_status: 'voided', status: 'processing' });
  expect(balanceOf(payment)).toBe(0);
  const taken = await authorized();
  await fetch(`${stripe.url}/v1/payment_intents/${taken.payment.transaction_id}/capture`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${STRIPE_KEYS.stripe_secret_key}`, 'Idempotency-Key': 'by-hand' },
  });
  expect(await shop.staff.refusal(`${taken.path}/void`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'PAYMENT_IN_PROGRESS',
  ]);
  expect(await shop.staff.data(`${taken.path}/sync`, 'POST', {})).toMatchObject({ status: 'captured' });
  expect(await get(taken.order.id)).toMatchObject({ payment_status: 'paid' });
});

/** A payment on which the processor still works. */
async function pending() {
  const shopper = await shop.withCart(await shop.stocked(1));
  stripe.next('pending');
  const sent = shop.order('stripe', { source_id: 'pm_card_visa' });
  const { order } = await shopper.data<PlacedShown>('/checkout', sent);
  const payment = only(await get(order.id));
  expect(payment.status).toBe('pending');
  return { order, payment, path: `/orders/${order.id}/payments/${payment.id}` };
}

it('asks the processor about a payment that it works on', async () => {
  const { order, payment, path } = await pending();
  expect(await shop.staff.data(`${path}/sync`, 'POST', {})).toMatchObject({ status: 'pending' });
  stripe.finish(payment.transaction_id);
  expect(await shop.staff.data(`${path}/sync`, 'POST', {})).toMatchObject({ status: 'authorized' });
  expect(await get(order.id)).toMatchObject({ status: 'processing', payment_status: 'authorized' });
  const declined = await pending();
  stripe.finish(declined.payment.transaction_id, false);
  expect(await shop.staff.data(`${declined.path}/sync`, 'POST', {})).toMatchObject({
    status: 'failed',
    error_code: 'card_declined',
  });
});

it('cancelling gives up what the processor works on, and gives back what it has taken meanwhile', async () => {
  const open = await pending();
  await shop.staff.data(`/orders/${open.order.id}/cancel`, 'POST', { reason: 'Asked by phone' });
  expect(await get(open.order.id)).toMatchObject({
    status: 'cancelled',
    payments: [{ status: 'failed', error_code: 'abandoned' }],
  });
  const taken = await pending();
  stripe.finish(taken.payment.transaction_id);
  await shop.staff.data(`/orders/${taken.order.id}/cancel`, 'POST', { reason: 'Asked by phone' });
  expect(await get(taken.order.id)).toMatchObject({ status: 'cancelled', payments: [{ status: 'voided' }] });
  expect(balanceOf(taken.payment)).toBe(0);
});

it('what could not be given up when an order was canceled is given up later', async () => {
  const { order, path } = await authorized();
  stripe.next('drop');
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'Asked by phone' });
  expect(await get(order.id)).toMatchObject({ status: 'cancelled', payments: [{ status: 'authorized' }] });
  shop.app.clock.advance(180);
  expect(await runJob(shop.app.ctx, 'sync-payments')).toMatchObject({ voided: 1 });
  expect(await get(order.id)).toMatchObject({ payment_status: 'voided', payments: [{ status: 'voided' }] });
  expect(await runJob(shop.app.ctx, 'sync-payments')).toMatchObject({ voided: 0 });
  expect((await shop.staff.refusal(`${path}/capture`, 'POST', {}))[2]).toBe('INVALID_TRANSITION');
});

it('an authorization that has expired holds its order, which is not paid any more', async () => {
  const { order } = await authorized();
  await shop.app.ctx.tx(({ db: { knex } }) =>
    knex('payments').where({ order_id: order.id }).update({ expires_at: shop.app.ctx.now() }),
  );
  const { result, changes } = await shop.app.changesBy(() => runJob(shop.app.ctx, 'sync-payments'));
  expect(result).toMatchObject({ lapsed: 1 });
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await get(order.id)).toMatchObject({
    status: 'on_hold',
    hold_reason: 'authorization_expired',
    payment_status: 'unpaid',
    payments: [{ status: 'expired' }],
  });
  expect(await shop.staff.data(`/orders/${order.id}/release`, 'POST', {})).toMatchObject({
    status: 'pending',
  });
});

it('a report that could not be handled waits, has failed after five attempts, and is handled again by staff', async () => {
  const first = await shop.placed(await shop.stocked(1), 1, 'fake');
  const shopper = await shop.withCart(await shop.stocked(1));
  const sent = shop.order('fake', { source_id: 'needs_action' });
  const { order, payment } = await shopper.data<PlacedShown>('/checkout', sent);
  // A transaction belongs to one payment: the shop does not believe that it paid two.
  const transactionId = only(await get(first.id)).transaction_id;
  const processorEventId = 'evt_twice';
  const report = {
    processorEventId,
    type: 'payment.succeeded',
    transactionId,
    paymentId: payment?.id,
    amountCents: 2400,
    currency: 'USD',
    raw: {},
  };
  const body = JSON.stringify(report);
  const deliver = () =>
    shop.app.send('/api/store/payments/webhook/fake', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...signFake(body) },
    });
  expect((await deliver()).body).toEqual({ success: true, data: { received: true } });
  const { body: list } = await shop.staff.send(`/payment-events?q=${processorEventId}`);
  const [event] = list.data as unknown as { id: string; status: string; attempts: number; error: string }[];
  expect(event).toMatchObject({
    status: 'received',
    attempts: 1,
    error: expect.stringMatching(/unique|duplicate/i),
  });
  for (const wait of [60, 300, 1800, 7200]) {
    shop.app.clock.advance(wait);
    await runJob(shop.app.ctx, 'handle-processor-events');
  }
  const path = `/payment-events/${event?.id}`;
  expect(await shop.staff.data(path)).toMatchObject({ status: 'failed', attempts: 5 });
  shop.app.clock.advance(86_400);
  expect(await runJob(shop.app.ctx, 'handle-processor-events')).toEqual({ handled: 0, failed: 0 });
  expect(await shop.staff.data(`${path}/retry`, 'POST', {})).toMatchObject({ status: 'failed', attempts: 6 });
  await shop.app.ctx.tx(({ db: { knex } }) =>
    knex('payments').where({ order_id: first.id }).update({ transaction_id: 'corrected' }),
  );
  expect(await shop.staff.data(`${path}/retry`, 'POST', {})).toMatchObject({
    status: 'handled',
    attempts: 7,
    error: null,
    order_number: order.order_number,
  });
  expect(await get(order.id)).toMatchObject({ payment_status: 'paid' });
  expect(await deliver()).toMatchObject({ status: 200 });
  expect(await shop.staff.data(path)).toMatchObject({ attempts: 7 });
  expect((await shop.staff.refusal('/payment-events/pev_none/retry', 'POST', {}))[0]).toBe(404);
});

const DAY = 86_400;

it('cancels orders to be paid later whose time is over and of which no money came', async () => {
  const variantId = await shop.stocked(5);
  const unpaid = await shop.placed(variantId, 1, 'offline');
  const partly = await shop.placed(variantId, 1, 'offline');
  await shop.staff.data(`/orders/${partly.id}/payments`, 'POST', { amount_cents: 100, method: 'cash' });
  const issued = await shop.staff.data('/gift-cards', 'POST', { amount_cents: 1000 });
  const shopper = await shop.withCart(variantId);
  await shopper.data('/cart/gift-card', { code: issued.code });
  const { order: withCard } = await shopper.data<PlacedShown>('/checkout', shop.order('offline'));
  expect(withCard).toMatchObject({ payment_status: 'partially_paid', gift_card_cents: 1000 });
  expect(await shop.levelOf(variantId)).toEqual({ on_hand: 2, reserved: 0 });
  const expire = () => runJob(shop.app.ctx, 'expire-offline-orders');
  shop.app.clock.advance(14 * DAY - 1);
  expect(await expire()).toEqual({ cancelled: 0 });
  shop.app.clock.advance(1);
  const { result, changes } = await shop.app.changesBy(expire);
  expect(result).toEqual({ cancelled: 2 });
  expect(toldOf(changes.events).filter((name) => name === 'order.cancelled')).toHaveLength(2);
  expect(await get(unpaid.id)).toMatchObject({ status: 'cancelled', cancel_reason: 'payment_expired' });
  expect(await get(partly.id)).toMatchObject({ status: 'pending' });
  expect(await shop.levelOf(variantId)).toEqual({ on_hand: 4, reserved: 0 });
  expect(await shop.staff.data(`/gift-cards/${issued.id}`)).toMatchObject({
    balance_cents: 1000,
    held_cents: 0,
  });
  const mails = (await emailsOf(shop.app.ctx)).filter(({ template }) => template === 'order_cancelled');
  expect(mails.map((one) => one.related_id)).toEqual(expect.arrayContaining([unpaid.id, withCard.id]));
  expect(await expire()).toEqual({ cancelled: 0 });
});

it('an order that is being paid when its time is over waits for the answer', async () => {
  const variantId = await shop.stocked(1);
  const shopper = await shop.withCart(variantId);
  const { order } = await shopper.data<PlacedShown>('/checkout', shop.order('offline'));
  const retry = { order_number: order.order_number, processor: 'fake', source_id: 'needs_action' };
  const { payment } = await shopper.data<PlacedShown>('/checkout/retry', retry);
  await shop.app.ctx.tx(({ db: { knex } }) =>
    knex('orders').where({ id: order.id }).update({ due_at: shop.app.ctx.now() }),
  );
  expect(await runJob(shop.app.ctx, 'expire-offline-orders')).toEqual({ cancelled: 0 });
  const sent = { order_number: order.order_number, payment_id: payment?.id };
  const done = await shopper.post('/checkout/confirm', sent);
  expect([done.status, detailsOf(done)]).toEqual([200, undefined]);
  expect(await get(order.id)).toMatchObject({ status: 'pending', payment_status: 'authorized' });
  expect(await runJob(shop.app.ctx, 'expire-offline-orders')).toEqual({ cancelled: 0 });
});

it('tells a client of its own what it needs to make a source of a card, and no secret', async () => {
  const shopper = await shop.withCart(await shop.stocked(1));
  const { body, text } = await shopper.get('/checkout/payment-methods');
  const { processors } = body.data as unknown as { processors: { id: string; client_config: object }[] };
  expect(processors.find(({ id }) => id === 'stripe')?.client_config).toEqual({
    publishable_key: STRIPE_KEYS.stripe_publishable_key,
    script_url: `${stripe.url}/v3/`,
  });
  expect(text).not.toContain(STRIPE_KEYS.stripe_secret_key);
  expect(text).not.toContain(STRIPE_KEYS.stripe_webhook_secret);
});
