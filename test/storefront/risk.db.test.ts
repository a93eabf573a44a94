// People who try out cards, and orders that staff look at before their goods leave (decision 0075).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { reviewsWaiting } from '#storefront/orders/risk/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { runJob } from '../support/jobs.ts';
import { STRIPE_KEYS, StripeServer } from '../support/processors/stripe-server.ts';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';
import { ANN, type PlacedShown } from './shopper.ts';
import { storeClient } from './store-client.ts';

let stripe: StripeServer;
let shop: OrderShop;
beforeAll(async () => {
  stripe = await StripeServer.open({ now: () => shop.app.clock.epochMs() });
  shop = await openOrderShop({
    env: { APPCTL_STRIPE_API_URL: stripe.url },
    pins: {
      ...STRIPE_KEYS,
      payment_processor: 'stripe',
      payment_processors_enabled: '["offline","fake"]',
      risk_first_order_cents: '10000',
    },
  });
});
afterAll(async () => {
  await shop.app.close();
  await stripe.close();
});

type Shown = Record<string, unknown> & { id: string; payments: { id: string; status: string }[] };
const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Shown;

const finding = (id: string) =>
  checks
    .find((one) => one.id === id)
    ?.run({ opened: { ctx: shop.app.ctx, current: true } } as unknown as CheckScope);

let made = 0;
const somebody = (): string => `buyer-${++made}@x.test`;
const IN_GERMANY = { ...ANN, state: undefined, postal_code: '10115', country: 'DE' };

/** What a checkout with a card of Stripe is answered. */
async function pay(email: string, source: string, more: object = {}, quantity = 1) {
  const shopper = await shop.withCart(await shop.stocked(10), quantity);
  const sent = shop.order('stripe', { email, source_id: source, ...more });
  const reply = await shopper.post('/checkout', sent);
  return { shopper, reply, placed: reply.body.data as unknown as PlacedShown };
}

/** An order that waits for a review: a first one, large, with a card of another country. */
async function inReview(more: object = {}): Promise<Shown> {
  const { placed } = await pay(somebody(), `pm_card_visa_DE_${++made}`, more, 6);
  const order = await get(placed.order.id);
  expect(order).toMatchObject({ status: 'on_hold', hold_reason: 'review', review: 'waiting' });
  return order;
}

it('an order without a reason is low risk and goes on', async () => {
  const { placed } = await pay(somebody(), 'pm_card_visa_US_own');
  expect(await get(placed.order.id)).toMatchObject({
    status: 'processing',
    is_risky: false,
    risk_level: 'low',
    review: null,
    risk: { score: 0, level: 'low', reasons: [], card_country: 'US', country_mismatch: false, attempts: 0 },
    actions: { can_review: false },
  });
});

it('tells the country of the card from that of the billing address', async () => {
  const foreign = await pay(somebody(), 'pm_card_visa_DE_away');
  expect(await get(foreign.placed.order.id)).toMatchObject({
    status: 'processing',
    is_risky: true,
    risk: {
      score: 25,
      level: 'low',
      reasons: ['country_mismatch'],
      card_country: 'DE',
      country_mismatch: true,
    },
  });
  const billed = { billing_address: IN_GERMANY };
  const home = await pay(somebody(), 'pm_card_visa_DE_home', billed);
  expect(await get(home.placed.order.id)).toMatchObject({ risk: { reasons: [], country_mismatch: false } });
});

it('an order of high risk waits for staff, and receivers hear of it once, on hold', async () => {
  const email = somebody();
  const { result, changes } = await shop.app.changesBy(() => pay(email, 'pm_card_visa_DE_large', {}, 6));
  expect(result.reply.status).toBe(201);
  expect(toldOf(changes.events)).toEqual(['order.created']);
  const order = await get(result.placed.order.id);
  expect(order).toMatchObject({
    status: 'on_hold',
    hold_reason: 'review',
    review: 'waiting',
    payment_status: 'paid',
    risk: { score: 60, level: 'high', reasons: ['country_mismatch', 'large_first_order'] },
    actions: { can_review: true, can_release: true, can_cancel: true },
  });
  const { body } = await shop.staff.send('/orders?review=waiting');
  expect((body.data as unknown as Shown[]).map(({ id }) => id)).toEqual([order.id]);
  const again = await pay(email, 'pm_card_visa_DE_large', {}, 6);
  expect(await get(again.placed.order.id)).toMatchObject({ risk: { reasons: ['country_mismatch'] } });
  await shop.staff.data(`/orders/${order.id}/approve`, 'POST', {});
});

it('is approved once, tells one webhook, and is shipped then', async () => {
  const { id } = await inReview();
  const ship = () => shop.staff.send(`/orders/${id}/shipments`, 'POST', { ship_now: true });
  expect((await ship()).status).toBe(400);
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.send(`/orders/${id}/approve`, 'POST', {}),
  );
  expect([result.status, result.body.data]).toMatchObject([
    200,
    { status: 'processing', review: 'approved', hold_reason: null, payment_status: 'paid' },
  ]);
  expect(toldOf(changes.events)).toEqual(['order.updated']);
  expect(await shop.staff.refusal(`/orders/${id}/approve`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  expect((await shop.staff.refusal(`/orders/${id}/reject`, 'POST', { reason: 'Late' }))[2]).toBe(
    'INVALID_TRANSITION',
  );
  expect((await ship()).status).toBe(201);
});

it('is rejected with everything that was paid, and the goods are there again', async () => {
  const { id, payments } = await inReview();
  const paid = String(payments[0]?.id);
  expect(stripe.balanceCents(paid)).toBe(11_900);
  expect((await shop.staff.refusal(`/orders/${id}/reject`, 'POST', {}))[1]).toBe('VALIDATION_MISSING_FIELD');
  const packer = await storeClient(shop.app, 'fulfilment');
  expect((await packer.refusal(`/orders/${id}/reject`, 'POST', { reason: 'Stolen card' }))[0]).toBe(403);
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.send(`/orders/${id}/reject`, 'POST', { reason: 'Stolen card' }),
  );
  expect([result.status, result.body.data]).toMatchObject([
    200,
    { status: 'cancelled', review: 'rejected', cancel_reason: 'Stolen card', payment_status: 'refunded' },
  ]);
  expect(toldOf(changes.events).filter((name) => name === 'order.cancelled')).toHaveLength(1);
  expect(stripe.balanceCents(paid)).toBe(0);
});

it('of an approval and a rejection at once one is done', async () => {
  const { id } = await inReview();
  const answers = await Promise.all([
    shop.staff.send(`/orders/${id}/approve`, 'POST', {}),
    shop.staff.send(`/orders/${id}/reject`, 'POST', { reason: 'Stolen card' }),
    shop.staff.send(`/orders/${id}/approve`, 'POST', {}),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  const { status, review } = await get(id);
  expect([
    ['processing', 'approved'],
    ['cancelled', 'rejected'],
  ]).toContainEqual([status, review]);
});

it('releasing and cancelling such an order are a review, too', async () => {
  const released = await inReview();
  expect(await shop.staff.data(`/orders/${released.id}/release`, 'POST', {})).toMatchObject({
    status: 'processing',
    review: 'approved',
  });
  const cancelled = await inReview();
  const sent = { reason: 'Asked by phone', refund: 'full' };
  expect(await shop.staff.data(`/orders/${cancelled.id}/cancel`, 'POST', sent)).toMatchObject({
    review: 'rejected',
  });
});

it('nobody who delivers hears of the money before the review is over', async () => {
  const variant = { sku: `DIGI-${++made}`, price_cents: 11_900, stock: 5, requires_shipping: false };
  const product = { title: 'Editor', type: 'digital', status: 'active', variants: [variant] };
  const { variants } = await shop.staff.data('/products', 'POST', product);
  const shopper = await shop.withCart((variants as [{ id: string }])[0].id);
  const sent = shop.order('stripe', { email: somebody(), source_id: `pm_card_visa_DE_${++made}` });
  const { order } = await shopper.data<PlacedShown>('/checkout', {
    ...sent,
    shipping_method_id: undefined,
    billing_address: ANN,
  });
  expect(order.status).toBe('on_hold');
  await runJob(shop.app.ctx, 'complete-orders');
  expect(await get(order.id)).toMatchObject({ status: 'on_hold' });
  const { changes } = await shop.app.changesBy(() =>
    shop.staff.data(`/orders/${order.id}/approve`, 'POST', {}),
  );
  expect(toldOf(changes.events)).toEqual(['order.completed', 'order.updated']);
  expect(await get(order.id)).toMatchObject({ status: 'completed', review: 'approved' });
});

/** So many declines of one address with one card. */
async function declined(email: string, times: number, card = 'pm_card_chargeDeclined'): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { reply } = await pay(email, card);
    expect([reply.status, reply.body.details]).toMatchObject([400, { reason: 'PAYMENT_DECLINED' }]);
  }
}

it('money of an order that is a risk before the card is known is only held until staff approve', async () => {
  shop.app.clock.advance(7200);
  const email = somebody();
  await declined(email, 3);
  const large = await pay(email, `pm_card_visa_US_${++made}`, {}, 6);
  const order = await get(large.placed.order.id);
  expect(order).toMatchObject({
    status: 'on_hold',
    review: 'waiting',
    payment_status: 'authorized',
    payments: [{ status: 'authorized' }],
    risk: { reasons: ['many_declines', 'large_first_order'] },
  });
  const { id } = order.payments[0] as { id: string };
  expect(stripe.balanceCents(id)).toBe(0);
  expect(await shop.staff.data(`/orders/${order.id}/approve`, 'POST', {})).toMatchObject({
    status: 'processing',
    payment_status: 'paid',
    payments: [{ status: 'captured' }],
  });
  expect(stripe.balanceCents(id)).toBe(11_900);
});

it('held money that cannot be taken any more leaves the order in review; rejected it is given up', async () => {
  shop.app.clock.advance(7200);
  const email = somebody();
  await declined(email, 3);
  const { placed } = await pay(email, `pm_card_visa_US_${++made}`, {}, 6);
  stripe.next('drop');
  expect(await shop.staff.refusal(`/orders/${placed.order.id}/approve`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'PAYMENT_DECLINED',
  ]);
  expect(await get(placed.order.id)).toMatchObject({ status: 'on_hold', review: 'waiting' });
  await shop.staff.data(`/orders/${placed.order.id}/reject`, 'POST', { reason: 'No answer' });
  expect(await get(placed.order.id)).toMatchObject({
    status: 'cancelled',
    payment_status: 'voided',
    payments: [{ status: 'voided' }],
  });
});

it('whoever is declined often has to wait: nothing is charged or reserved, and the answer does not say why', async () => {
  shop.app.clock.advance(7200);
  const email = somebody();
  await declined(email, 5);
  const calls = stripe.calls.length;
  const variantId = await shop.stocked(3);
  const shopper = await shop.withCart(variantId);
  const sent = shop.order('stripe', { email: email.toUpperCase(), source_id: 'pm_card_visa' });
  const { result: refused, changes } = await shop.app.changesBy(() => shopper.post('/checkout', sent));
  expect([refused.status, refused.body.error_code, refused.body.details]).toMatchObject([
    429,
    'RATE_LIMITED',
    { reason: 'TOO_MANY_ATTEMPTS' },
  ]);
  expect(refused.headers['retry-after']).toBe('3600');
  expect(refused.text).not.toMatch(/card|email|address/i);
  expect(stripe.calls).toHaveLength(calls);
  expect(await shop.levelOf(variantId)).toEqual({ on_hand: 3, reserved: 0 });
  expect(changes.events.filter((name) => name.startsWith('order.'))).toEqual([]);
  // The other ways to pay cost no card.
  const offline = await shopper.post('/checkout', { ...sent, processor: 'offline', source_id: undefined });
  expect(offline.status).toBe(201);
  expect(await finding('store.card-testing')).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/^1 try/),
  });
  shop.app.clock.advance(3600);
  expect((await pay(email, 'pm_card_visa')).reply.status).toBe(201);
});

it('many cards of one address, and a card of many addresses, are reasons', async () => {
  shop.app.clock.advance(90_000);
  const email = somebody();
  for (const card of ['a', 'b']) await pay(email, `pm_card_visa_US_${card}${made}`);
  const third = await pay(email, `pm_card_visa_US_c${made}`);
  expect(await get(third.placed.order.id)).toMatchObject({
    risk: { reasons: ['many_cards'], level: 'medium' },
  });
  const card = `pm_card_visa_US_shared${made}`;
  for (const buyer of [somebody(), somebody()]) await pay(buyer, card);
  const shared = await pay(somebody(), card);
  expect(await get(shared.placed.order.id)).toMatchObject({ risk: { reasons: ['shared_card'], score: 40 } });
});

it('a card that was declined again and again, with whatever address, pays for a review', async () => {
  shop.app.clock.advance(90_000);
  const number = ++made;
  for (let n = 0; n < 5; n++) await declined(somebody(), 1, `pm_card_chargeDeclined_US_${number}`);
  const { placed } = await pay(somebody(), `pm_card_visa_US_${number}`);
  expect(await get(placed.order.id)).toMatchObject({
    status: 'on_hold',
    review: 'waiting',
    risk: { reasons: expect.arrayContaining(['card_tried_often', 'shared_card']), score: 100 },
  });
});

it('the panel lists what is to review, with its reasons, and approves it', async () => {
  shop.app.clock.advance(90_000);
  const order = await inReview();
  const { browser } = await member(shop.app);
  const wordsOf = async (path: string) => textOf((await browser.open(path)).text);
  expect(await wordsOf('/store/orders?review=waiting')).toContain(order.order_number);
  const page = await wordsOf(`/store/orders/${order.id}`);
  for (const part of ['Approve', 'Reject', 'waiting', 'high', 'country differs from the billing address'])
    expect(page).toContain(part);
  const { count } = await reviewsWaiting(shop.app.ctx);
  expect(await wordsOf('/store/')).toContain(`${count} order`);
  const found = await finding('store.reviews');
  expect(found).toMatchObject({ status: 'ok', message: `${count} to review, none for long` });
  shop.app.clock.advance(4 * 86_400);
  expect(await finding('store.reviews')).toMatchObject({
    status: 'warn',
    hint: expect.stringContaining('review=waiting'),
  });
});

it('counts are forgotten some days after their window', async () => {
  const rows = () => shop.knex()('payment_tries').count({ n: '*' }).first();
  expect(Number((await rows())?.n)).toBeGreaterThan(0);
  shop.app.clock.advance(9 * 86_400);
  await runJob(shop.app.ctx, 'purge-payment-tries');
  expect(Number((await rows())?.n)).toBe(0);
});
