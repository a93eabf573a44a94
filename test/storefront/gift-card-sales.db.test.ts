// Gift cards that are bought: what the cart takes, when they are issued, and what becomes of them when the money goes back.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as payments from '#storefront/orders/payments/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { type AddedShown, ANN, detailsOf, newShopper, type PlacedShown } from './shopper.ts';

type Placed = PlacedShown['order'];
type Row = Record<string, unknown>;

let shop: OrderShop;
let server: MailServer;
let cardId: string;
let browser: Browser;
beforeAll(async () => {
  server = await openMailServer();
  shop = await openOrderShop({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
      store_name: 'Tea House',
      gift_card_min_cents: '1000',
      gift_card_max_cents: '20000',
    },
  });
  cardId = await shop.stocked(0, giftCard());
  ({ browser } = await member(shop.app));
});
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

const giftCard = () => ({
  type: 'gift_card',
  title: 'Gift card',
  is_taxable: true,
  variants: [{ sku: `CARD-${crypto.randomUUID()}`, price_cents: 2500, requires_shipping: false }],
});
let people = 0;
const newAddress = () => `eve${++people}@mail.example`;
const inDays = (days: number) => new Date(Date.parse(shop.app.ctx.now()) + days * 86_400_000).toISOString();
const gift = (more: object = {}) => ({ amount_cents: 5000, ...more });

/** An order of gift cards. @param more of the checkout */
async function bought(card: object, { quantity = 1, more = {} }: { quantity?: number; more?: object } = {}) {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: cardId, quantity, gift_card: card });
  const sent = {
    email: newAddress(),
    shipping_address: { country: 'US' },
    processor: 'fake',
    source_id: 'ok',
    ...more,
  };
  const { order } = await shopper.data<PlacedShown>('/checkout', sent);
  return order;
}

const cardsOf = async ({ id }: Placed): Promise<Row[]> =>
  shop
    .knex()({ c: 'gift_cards' })
    .join({ i: 'order_items' }, 'i.id', 'c.order_item_id')
    .where('i.order_id', id)
    .orderBy('c.id')
    .select('c.*');
const statesOf = async (order: Placed) =>
  (await cardsOf(order)).map(({ status, balance_cents }) => [status, Number(balance_cents)]);
const ledgerOf = async (id: unknown): Promise<unknown[]> =>
  (await shop.knex()('gift_card_ledger').where({ gift_card_id: id }).orderBy('id')).map(
    ({ type, delta_cents }: Row) => [type, Number(delta_cents)],
  );
async function mailsTo(address: string) {
  await mailWorker(shop.app.ctx).idle();
  return server.to(address);
}
/** A code that pays, of the last mail to an address. */
const codeFor = async (address: string) =>
  /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/.exec((await mailsTo(address)).at(-1)?.text ?? '')?.[0] ??
  '';
const refund = (order: Placed, body: object) =>
  shop.staff.send(`/orders/${order.id}/refunds`, 'POST', { reason: 'Asked for', ...body });
/** Spends something of the card that was mailed to somebody. */
async function spend(address: string) {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: await shop.stocked(1) });
  await shopper.data('/cart/gift-card', { code: await codeFor(address) });
  const sent = { email: newAddress(), shipping_address: ANN, shipping_method_id: shop.methodId };
  return shopper.data<PlacedShown>('/checkout', { ...sent, processor: 'fake', source_id: 'ok' });
}

it('a gift card is issued and mailed with its payment, without discount and tax, in what the order says of it', async () => {
  const recipient_email = newAddress();
  const card = gift({
    recipient_email,
    recipient_name: 'Eve',
    sender_name: 'Bob',
    message: 'For <b>you</b>\nBob',
  });
  const { result: order, changes } = await shop.app.changesBy(() => bought(card));
  expect(changes.events).toEqual(
    expect.arrayContaining(['gift_card.issued', 'gift_card.delivered', 'order.completed']),
  );
  expect(order).toMatchObject({ total_cents: 5000, tax_cents: 0, payment_status: 'paid' });
  expect(order.items[0]).toMatchObject({
    variant_title: null,
    unit_cents: 5000,
    gift_card: { ...card, send_at: null },
  });
  const [issued, ...others] = await cardsOf(order);
  expect(others).toEqual([]);
  expect(issued).toMatchObject({ status: 'active', recipient_name: 'Eve', sender_name: 'Bob', locale: 'en' });
  expect(await ledgerOf(issued?.id)).toEqual([['issue', 5000]]);
  const [mail] = await mailsTo(recipient_email);
  for (const words of ['$50.00', 'Bob', 'For <b>you</b>']) expect(mail?.text).toContain(words);
  expect(mail?.html).not.toContain('<b>you</b>');
  expect((await spend(recipient_email)).order.payment_status).toBe('paid');
  const shown = await shop.staff.data(`/gift-cards/${issued?.id}`);
  expect(shown).toMatchObject({ order_number: order.order_number, balance_cents: 2600 });
  const page = await browser.open(`/store/gift-cards/${issued?.id}`);
  expect(page.text).toContain(`href="/store/orders/${order.order_number}"`);
  const desk = textOf((await browser.open(`/store/orders/${order.order_number}`)).text);
  for (const words of [`For Eve, ${recipient_email}`, `•••• ${issued?.last4} (active)`])
    expect(desk).toContain(words);
});

it('who names nobody gets the codes, one for each unit; one for a later day waits for it', async () => {
  const email = newAddress();
  const order = await bought(gift({ amount_cents: 2500 }), { quantity: 3, more: { email } });
  expect(await statesOf(order)).toEqual(Array(3).fill(['active', 2500]));
  expect((await mailsTo(email)).filter(({ text }) => text.includes('Your code:'))).toHaveLength(3);
  const recipient_email = newAddress();
  const later = await bought(gift({ recipient_email, send_at: inDays(10) }));
  expect([await statesOf(later), await mailsTo(recipient_email)]).toEqual([[['pending', 5000]], []]);
  await runJob(shop.app.ctx, 'deliver-gift-cards');
  expect(await statesOf(later)).toEqual([['pending', 5000]]);
  shop.app.clock.advance(11 * 86_400);
  await runJob(shop.app.ctx, 'deliver-gift-cards');
  expect([await statesOf(later), (await mailsTo(recipient_email)).length]).toEqual([[['active', 5000]], 1]);
});

it('an order that is paid later has its gift card when the money is there, and not before', async () => {
  const order = await bought(gift(), { more: { processor: 'offline', source_id: undefined } });
  expect([order.payment_status, await cardsOf(order)]).toEqual(['unpaid', []]);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 2000, method: 'cash' });
  expect(await cardsOf(order)).toEqual([]);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 3000, method: 'cash' });
  expect(await statesOf(order)).toEqual([['active', 5000]]);
});

it('browser, report and job that settle one payment at once issue one card', async () => {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: cardId, gift_card: gift() });
  const sent = {
    email: newAddress(),
    shipping_address: { country: 'US' },
    processor: 'fake',
    source_id: 'pending',
  };
  const { order, payment } = await shopper.data<PlacedShown>('/checkout', sent);
  const outcome = {
    status: 'captured',
    transactionId: `fake_${payment?.id}`,
    amountCents: 5000,
    currency: 'USD',
    methodLabel: 'Test card',
    raw: {},
  } as const;
  await Promise.all(
    Array.from({ length: 8 }, () => payments.settle(shop.app.ctx, String(payment?.id), outcome as never)),
  );
  expect(await statesOf(order)).toEqual([['active', 5000]]);
});

it('an unused card is taken back with its money; one of which something was spent cannot be given back', async () => {
  const recipient_email = newAddress();
  const order = await bought(gift({ recipient_email }), { quantity: 2 });
  const [first] = await cardsOf(order);
  const order_item_id = order.items[0]?.id;
  await spend(recipient_email);
  const both = await refund(order, { items: [{ order_item_id, quantity: 2 }] });
  expect([both.status, detailsOf(both)]).toMatchObject([
    400,
    { reason: 'REFUND_TOO_LARGE', refundable_quantity: 1 },
  ]);
  expect((await refund(order, { items: [{ order_item_id, quantity: 1 }] })).status).toBe(201);
  expect((await statesOf(order)).toSorted()).toEqual([
    ['active', 2600],
    ['disabled', 0],
  ]);
  expect((await refund(order, { items: [{ order_item_id, quantity: 1 }] })).status).toBe(400);
  const gone = (await cardsOf(order)).find(({ status }) => status === 'disabled');
  expect(await ledgerOf(gone?.id)).toEqual([
    ['issue', 5000],
    ['reverse', -5000],
  ]);
  expect(first?.order_item_id).toBe(order_item_id);
});

it('a card that staff had disabled is taken back as well; one whose refund is refused is worth what it was', async () => {
  const disabled = await bought(gift());
  const [card] = await cardsOf(disabled);
  await shop.staff.data(`/gift-cards/${card?.id}/disable`, 'POST', { reason: 'Lost' });
  const items = (order: Placed) => [{ order_item_id: order.items[0]?.id, quantity: 1 }];
  expect((await refund(disabled, { items: items(disabled) })).status).toBe(201);
  await shop.staff.data(`/gift-cards/${card?.id}/enable`, 'POST', {});
  expect(await statesOf(disabled)).toEqual([['redeemed', 0]]);
  const refused = await bought(gift(), { more: { source_id: 'refund_refused' } });
  const reply = await refund(refused, { items: items(refused) });
  expect(reply.status).toBe(201);
  expect(await statesOf(refused)).toEqual([['active', 5000]]);
  expect(await ledgerOf((await cardsOf(refused))[0]?.id)).toEqual([
    ['issue', 5000],
    ['reverse', -5000],
    ['reverse', 5000],
  ]);
});

it('an order that is cancelled takes its cards back, unless one was spent; its money can be given back later', async () => {
  const shopper = await newShopper(shop.app);
  const recipient_email = newAddress();
  await shopper.data('/cart/add', { variant_id: cardId, gift_card: gift({ recipient_email }) });
  await shopper.data('/cart/add', { variant_id: await shop.stocked(5) });
  const sent = { email: newAddress(), shipping_address: ANN, shipping_method_id: shop.methodId };
  const { order } = await shopper.data<PlacedShown>('/checkout', {
    ...sent,
    processor: 'fake',
    source_id: 'ok',
  });
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'Asked by phone', refund: 'none' });
  expect(await statesOf(order)).toEqual([['disabled', 0]]);
  const order_item_id = order.items.find(({ type }) => type === 'gift_card')?.id;
  expect((await refund(order, { items: [{ order_item_id, quantity: 1 }] })).status).toBe(201);

  const again = await newShopper(shop.app);
  const other = newAddress();
  await again.data('/cart/add', { variant_id: cardId, gift_card: gift({ recipient_email: other }) });
  await again.data('/cart/add', { variant_id: await shop.stocked(5) });
  const second = await again.data<PlacedShown>('/checkout', { ...sent, processor: 'fake', source_id: 'ok' });
  await spend(other);
  const late = await shop.staff.send(`/orders/${second.order.id}/cancel`, 'POST', {
    reason: 'Asked',
    refund: 'full',
  });
  expect([late.status, detailsOf(late).reason]).toEqual([400, 'REFUND_TOO_LARGE']);
  expect((await shop.staff.data(`/orders/${second.order.id}`)).status).toBe('processing');
});

it('the cart takes amounts and times within their bounds, and one address alone', async () => {
  const shopper = await newShopper(shop.app);
  const mug = await shop.stocked(3);
  const tried: [object, string][] = [
    [{ variant_id: cardId }, 'gift_card.amount_cents'],
    [{ variant_id: mug, gift_card: gift() }, 'gift_card'],
    [{ variant_id: cardId, gift_card: gift({ amount_cents: 999 }) }, 'gift_card.amount_cents'],
    [{ variant_id: cardId, gift_card: gift({ amount_cents: 20_001 }) }, 'gift_card.amount_cents'],
    [{ variant_id: cardId, gift_card: gift({ amount_cents: -5000 }) }, 'gift_card.amount_cents'],
    [{ variant_id: cardId, gift_card: gift({ amount_cents: 1e300 }) }, 'gift_card.amount_cents'],
    [{ variant_id: cardId, gift_card: gift({ amount_cents: '50' }) }, 'gift_card.amount_cents'],
    [
      { variant_id: cardId, gift_card: gift({ recipient_email: 'a@b.test\r\nBcc: c@d.test' }) },
      'gift_card.recipient_email',
    ],
    [
      { variant_id: cardId, gift_card: gift({ recipient_email: 'a@b.test, c@d.test' }) },
      'gift_card.recipient_email',
    ],
    [{ variant_id: cardId, gift_card: gift({ recipient_name: 'Eve\nBcc: x' }) }, 'gift_card.recipient_name'],
    [{ variant_id: cardId, gift_card: gift({ sender_name: 'x'.repeat(101) }) }, 'gift_card.sender_name'],
    [{ variant_id: cardId, gift_card: gift({ message: 'x'.repeat(1001) }) }, 'gift_card.message'],
    [{ variant_id: cardId, gift_card: gift({ send_at: inDays(-1) }) }, 'gift_card.send_at'],
    [{ variant_id: cardId, gift_card: gift({ send_at: inDays(3650) }) }, 'gift_card.send_at'],
    [{ variant_id: cardId, gift_card: gift({ send_at: 'tomorrow' }) }, 'gift_card.send_at'],
  ];
  for (const [body, field] of tried) {
    const reply = await shopper.post('/cart/add', body);
    const fields = new Set(detailsOf(reply).fields?.map((one) => one.field));
    expect([reply.status, [...fields]]).toEqual([400, [field]]);
  }
  const { result, changes } = await shop.app.changesBy(() =>
    shopper.data<AddedShown>('/cart/add', {
      variant_id: cardId,
      gift_card: gift({ message: '<script>x</script>' }),
    }),
  );
  expect(result.items[0]).toMatchObject({
    gift_card: { message: '<script>x</script>', sender_name: null },
    tax_cents: 0,
  });
  expect(changes.events).toEqual([]);
});

it('promotions leave gift cards alone, and a gift card may pay for another one', async () => {
  const code = `GIFT${Date.now()}`;
  await shop.staff.data('/promotions', 'POST', {
    name: 'Half',
    code,
    type: 'coupon',
    effect: 'percent',
    percent_bps: 5000,
    status: 'active',
  });
  const owner = newAddress();
  await bought(gift({ recipient_email: owner, amount_cents: 6000 }));
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: cardId, gift_card: gift() });
  await shopper.data('/cart/coupon', { code });
  await shopper.data('/cart/gift-card', { code: await codeFor(owner) });
  const { order } = await shopper.data<PlacedShown>('/checkout', {
    email: newAddress(),
    shipping_address: { country: 'US' },
  });
  expect(order).toMatchObject({ total_cents: 5000, gift_card_cents: 5000, payment_status: 'paid' });
  expect(await statesOf(order)).toEqual([['active', 5000]]);
});

it('nothing of them is sold while gift cards are switched off; what was paid before is kept', async () => {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: cardId, gift_card: gift() });
  await shop.staff.data('/features', 'PATCH', { gift_cards_enabled: false });
  expect((await shopper.refusal('/cart/add', { variant_id: cardId, gift_card: gift() })).slice(0, 2)).toEqual(
    [404, 'NOT_FOUND'],
  );
  expect(await shopper.data('/cart')).toMatchObject({ items: [], changes: [{ kind: 'removed' }] });
  expect((await shop.app.send('/shop/gift-cards')).status).toBe(404);
  await shop.staff.data('/features', 'PATCH', { gift_cards_enabled: true });
});
