// What the law gives customers: a copy of everything that is stored of them, and their erasure (storefront-domain section 12).
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueMail } from '#platform/mail/index.ts';
import { orderStaffMails } from '#storefront/orders/mails/staff.ts';
import { addAddress } from '#storefront/people/addresses/index.ts';
import { noteConsent } from '#storefront/people/consents/index.ts';
import * as newsletter from '#storefront/people/newsletter/index.ts';
import { eraseCustomer, exportCustomer, openBusiness } from '#storefront/people/privacy/index.ts';
import { openBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { findTexts } from './every-text.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { returnTools } from './return-shop.ts';
import { ANN, newShopper, type PlacedShown } from './shopper.ts';

let shop: OrderShop;
let tools: ReturnType<typeof returnTools>;
let mugId: string;
let cardId: string;
beforeAll(async () => {
  shop = await openOrderShop({ pins: { store_name: 'Tea House', gift_cards_enabled: '1' } });
  tools = returnTools(shop);
  mugId = await shop.stocked(1000);
  cardId = await shop.stocked(0, {
    type: 'gift_card',
    title: 'Gift card',
    variants: [{ sku: 'ERASE-CARD', price_cents: 2500, requires_shipping: false }],
  });
});
afterAll(() => shop.app.close());

let people = 0;
/** Somebody whose name and places stand nowhere else. */
function somebody() {
  people += 1;
  const mark = `Zaphira${people}x`;
  const email = `${mark.toLowerCase()}@mail.example`;
  const address = {
    ...ANN,
    name: `${mark} Beeblebrox${people}`,
    line1: `${mark} Street 1`,
    phone: `555-${mark}`,
  };
  return { mark, email, address, marks: [mark, `Beeblebrox${people}`] };
}
type Somebody = ReturnType<typeof somebody>;

/** An order of a mug and a gift card for somebody's friend. */
async function ordered(one: Somebody, more: object = {}): Promise<PlacedShown['order']> {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: mugId, quantity: 1 });
  const gift = {
    amount_cents: 2500,
    recipient_email: `friend-of-${one.email}`,
    recipient_name: `Friend of ${one.mark}`,
    message: `From ${one.mark}`,
  };
  await shopper.data('/cart/add', { variant_id: cardId, quantity: 1, gift_card: gift });
  const sent = shop.order('fake', {
    email: one.email,
    phone: `555-${one.mark}`,
    shipping_address: one.address,
    note: `Ring twice for ${one.mark}`,
    ...more,
  });
  return (await shopper.data<PlacedShown>('/checkout', sent)).order;
}

const writing = (work: (knex: Knex) => Promise<unknown>) => shop.app.ctx.tx(({ db }) => work(db.knex));

const customerOf = async (email: string): Promise<{ id: string; status: string }> =>
  shop.knex()('customers').where({ email }).first();

const complete = async (id: string) => {
  const items = await shop.knex()('order_items').where({ order_id: id, requires_shipping: true });
  const shipment = await shop.staff.data(`/orders/${id}/shipments`, 'POST', {
    items: items.map(({ id: item, quantity }) => ({ order_item_id: item, quantity })),
  });
  await shop.staff.data(`/shipments/${shipment.id}/ship`, 'POST', {});
};

it('a guest is erased: nothing anywhere names them, and amounts and numbers stay', async () => {
  const one = somebody();
  const order = await ordered(one);
  await complete(order.id);
  await openBrowser(shop.app.send).submit('/shop/contact', {
    name: one.mark,
    email: one.email,
    subject: one.mark,
    message: `I am ${one.mark}`,
  });
  await newsletter.subscribe(shop.app.ctx, { email: one.email, locale: 'en', consentText: 'News' });
  const customer = await customerOf(one.email);
  await addAddress(shop.app.ctx, customer.id, one.address);
  await noteConsent(shop.app.ctx, {
    customerId: customer.id,
    granted: true,
    source: 'checkout',
    text: one.mark,
  });
  const before = await shop.knex()('orders').where({ id: order.id }).first();
  expect((await findTexts(shop.knex(), one.marks)).length).toBeGreaterThan(10);

  const { result, changes } = await shop.app.changesBy(() => eraseCustomer(shop.app.ctx, customer.id));
  expect(result).toEqual({ customerId: customer.id, openOrders: 0, openReturns: 0 });
  expect(changes.events).toEqual(['customer.erased']);
  expect(await findTexts(shop.knex(), one.marks)).toEqual([]);
  const after = await shop.knex()('orders').where({ id: order.id }).first();
  expect(after).toMatchObject({
    order_number: before.order_number,
    total_cents: before.total_cents,
    email: `anon-${order.id}@invalid`,
    phone: null,
    note: null,
  });
  expect(
    await shop.knex()('invoices').where({ order_id: order.id }).first('invoice_number', 'buyer'),
  ).toMatchObject({
    buyer: null,
  });
  const gone = await shop.knex()('customers').where({ id: customer.id }).first();
  expect(gone).toMatchObject({
    status: 'anonymised',
    email: `anon-${customer.id}@invalid`,
    first_name: null,
  });
  for (const table of ['customer_addresses', 'customer_consents'])
    expect(await shop.knex()(table).where({ customer_id: customer.id })).toEqual([]);
  expect(await shop.knex()('one_time_tokens').where({ subject_id: order.id })).toEqual([]);

  const again = await shop.app.changesBy(() => eraseCustomer(shop.app.ctx, customer.id));
  expect(again.changes).toEqual({ events: [], rows: {} });
});

it('an order on its way keeps its address until it has ended; a job removes it then', async () => {
  const one = somebody();
  const order = await ordered(one);
  const customer = await customerOf(one.email);
  expect(await openBusiness(shop.app.ctx, customer.id)).toMatchObject({ orders: 1, returns: 0 });
  expect(await eraseCustomer(shop.app.ctx, customer.id)).toMatchObject({ openOrders: 1 });
  const address = () => shop.knex()('order_addresses').where({ order_id: order.id }).first('line1');
  expect(await address()).toEqual({ line1: `${one.mark} Street 1` });
  expect(await findTexts(shop.knex(), one.marks)).not.toContain('customers.email');
  shop.app.clock.advance(7200);
  await runJob(shop.app.ctx, 'finish-erasures');
  expect(await address()).toEqual({ line1: `${one.mark} Street 1` });
  await complete(order.id);
  expect(await runJob(shop.app.ctx, 'finish-erasures')).toMatchObject({ finished: expect.any(Number) });
  expect(await findTexts(shop.knex(), one.marks)).toEqual([]);
});

it('what an open return needs goes once it has ended, long after its order', async () => {
  const one = somebody();
  const { order, item } = await tools.delivered(1, {
    order: { email: one.email, shipping_address: one.address },
  });
  const customer = await customerOf(one.email);
  const { id } = await tools.asked(order.id, item, 1);
  expect(await eraseCustomer(shop.app.ctx, customer.id)).toMatchObject({ openReturns: 1 });
  shop.app.clock.advance(7200);
  expect(await runJob(shop.app.ctx, 'finish-erasures')).toMatchObject({ waiting: expect.any(Number) });
  const unfinished = () =>
    shop.knex()('customer_erasures').where({ customer_id: customer.id }).whereNull('finished_at');
  expect(await unfinished()).toHaveLength(1);
  await tools.step(id, 'reject', { reason: 'It was worn.' });
  await runJob(shop.app.ctx, 'finish-erasures');
  expect(await unfinished()).toEqual([]);
  expect(await findTexts(shop.knex(), one.marks)).toEqual([]);
});

/** What a member of staff is written about an order. */
async function mailedStaff(orderId: string) {
  const [newOrderMail] = orderStaffMails;
  if (!newOrderMail) throw new Error('no mail to staff about orders');
  const id = await shop.app.ctx.tx((ctx) =>
    queueMail(ctx, newOrderMail.mail, {
      to: { address: 'owner@shop.example', name: 'Olga Owner' },
      locale: 'en',
      values: newOrderMail.mail.sample,
      dedupe: `${orderId}:1:owner`,
      related: { type: 'order', id: orderId },
    }),
  );
  return { id };
}

it('a copy has all of it and nothing of anybody else, and no secret', async () => {
  const [one, other] = [somebody(), somebody()];
  const order = await ordered(one);
  await ordered(other);
  const customer = await customerOf(one.email);
  await addAddress(shop.app.ctx, customer.id, one.address);
  const { id: staffMail } = await mailedStaff(order.id);
  const { data, ...about } = await exportCustomer(shop.app.ctx, customer.id);
  expect(about).toMatchObject({ customer_id: customer.id });
  expect(data.customers).toMatchObject([{ id: customer.id, email: one.email }]);
  expect(data.orders).toMatchObject([{ id: order.id, email: one.email, note: `Ring twice for ${one.mark}` }]);
  for (const table of ['order_items', 'order_addresses', 'customer_addresses', 'invoices', 'email_log'])
    expect([table, (data[table] ?? []).length > 0]).toEqual([table, true]);
  // What staff were written about the order names them.
  expect(data.email_log?.map(({ id }) => id)).not.toContain(staffMail);
  expect(JSON.stringify(data)).not.toContain(other.mark);
  expect(JSON.stringify(data)).not.toMatch(/token_hash|values_enc|code_hash|code_sealed/);
});

it('whoever is unknown is neither erased nor copied', async () => {
  const id = 'cst_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
  await expect(eraseCustomer(shop.app.ctx, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(exportCustomer(shop.app.ctx, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('two at once erase once', async () => {
  const one = somebody();
  const order = await ordered(one);
  await complete(order.id);
  const { id } = await customerOf(one.email);
  await Promise.all([eraseCustomer(shop.app.ctx, id), eraseCustomer(shop.app.ctx, id)]);
  expect(await findTexts(shop.knex(), one.marks)).toEqual([]);
  expect(await shop.knex()('customer_erasures').where({ customer_id: id })).toHaveLength(1);
});

it('proofs of consent cannot be changed, and go with the person alone', async () => {
  const one = somebody();
  await ordered(one);
  const { id } = await customerOf(one.email);
  await noteConsent(shop.app.ctx, { customerId: id, granted: true, source: 'checkout' });
  const rows = () => shop.knex()('customer_consents').where({ customer_id: id });
  const refused = /append-only/;
  await expect(writing((knex) => knex('customer_consents').update({ granted: false }))).rejects.toThrow(
    refused,
  );
  await expect(writing((knex) => knex('customer_consents').delete())).rejects.toThrow(refused);
  await eraseCustomer(shop.app.ctx, id);
  expect(await rows()).toEqual([]);
});
