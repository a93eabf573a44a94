// Orders as whoever bought them sees them afterwards: by the link of a mail, by number and address, in the browser that paid.
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { logTo } from '#kernel/log.ts';
import type { ShopperOrderView } from '#storefront/orders/shopper-orders/view.ts';
import { textOf } from '../platform/panel/staff.ts';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type OrderShop, openOrderShop, toldOf } from './order-shop.ts';
import { ANN, detailsOf, newShopper, type PlacedShown } from './shopper.ts';

let shop: OrderShop;
let server: MailServer;
const logged = new PassThrough();
let log = '';
beforeAll(async () => {
  logged.on('data', (chunk) => {
    log += String(chunk);
  });
  server = await openMailServer();
  shop = await openOrderShop({
    log: logTo(logged, 'info'),
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
      offline_instructions: 'IBAN DE00 1234',
    },
  });
});
afterAll(async () => {
  await shop.app.close();
  await server.close();
});
beforeEach(() => {
  server.mails.length = 0;
});

type ShopperOrderShown = z.output<typeof ShopperOrderView>;
const LINK = /\/shop\/order\/([\w-]{43})/;
let people = 0;
const newAddress = () => `ann${++people}@mail.example`;

/** The text of the last mail to an address, and the token of the link in it. */
async function lastMail(address: string) {
  await mailWorker(shop.app.ctx).idle();
  const text = (await server.to(address)).at(-1)?.text ?? '';
  return { text, token: LINK.exec(text)?.[1] ?? '' };
}

/** An order by a guest, with the link of its confirmation. */
async function ordered(processor: 'fake' | 'offline' = 'fake', more: object = {}, quantity = 2) {
  const email = newAddress();
  const variantId = await shop.stocked(9);
  const order = await shop.placed(variantId, quantity, processor, { email, ...more });
  const { token, text } = await lastMail(email);
  return { order, email, token, text, variantId, page: `/shop/order/${token}` };
}

/** The number of an order whose payment went wrong, in the browser of its shopper. */
async function wentWrong(email: string, source: string) {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: await shop.stocked(1) });
  const sent = { email, shipping_address: ANN, shipping_method_id: shop.methodId, processor: 'fake' };
  const reply = await shopper.post('/checkout', { ...sent, source_id: source });
  const placed = reply.body.data as unknown as { order: { order_number: string } } | undefined;
  return { shopper, number: String(placed?.order.order_number ?? detailsOf(reply).order_number) };
}
const declined = async (email: string): Promise<string> => (await wentWrong(email, 'declined')).number;

const json = (path: string) => shop.app.send(`/api/shop/orders/${path}`);
const shipped = (id: string, more: object) =>
  shop.staff.data(`/orders/${id}/shipments`, 'POST', { ship_now: true, ...more });
const visit = (path: string) => openBrowser(shop.app.send).open(path);

it('every mail of an order leads to its page, each by a token of its own of which only the hash is stored', async () => {
  const { order, email, token, page } = await ordered('offline');
  expect(token).toHaveLength(43);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: order.total_cents,
    method: 'cash',
  });
  const second = await lastMail(email);
  expect([second.text.includes('has arrived'), second.token === token]).toEqual([true, false]);
  for (const path of [page, `/shop/order/${second.token}`]) expect((await visit(path)).status).toBe(200);
  const rows = await shop.knex()('one_time_tokens').where({ subject_id: order.id });
  expect(rows.map((row: { purpose: string }) => row.purpose)).toEqual(['order_access', 'order_access']);
  expect(JSON.stringify(rows)).not.toContain(token);
});

it('the page shows what was bought, what it costs, where it goes and how it is paid', async () => {
  const { order, page } = await ordered();
  const reply = await visit(page);
  const text = textOf(reply.text);
  for (const words of [
    `Order ${order.order_number}`,
    'Being prepared',
    'Paid',
    '2 × ',
    '$38.00',
    '$43.00',
    'Ann Miller',
    'Springfield',
    'Parcel',
    'Order received',
    'Payment received: $43.00',
  ])
    expect(text).toContain(words);
  expect(reply.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  expect(reply.headers['content-encoding']).toBeUndefined();
  expect(reply.text).toContain('<meta name="robots" content="noindex">');
  expect(reply.text).not.toContain('rel="canonical"');
});

it('shipments are followed by addresses of the web alone, and notes are shown only where they are for the customer', async () => {
  const { order, page, token } = await ordered();
  const made = await shipped(order.id, {
    carrier: '<b>UPS</b>',
    tracking_number: '1Z<script>',
    tracking_url: 'https://ups.example/1Z"onmouseover="x',
  });
  await shop.staff.data(`/orders/${order.id}/notes`, 'POST', {
    body: 'Fragile <i>goods</i>',
    visible_to_customer: true,
  });
  await shop.staff.data(`/orders/${order.id}/notes`, 'POST', { body: 'Difficult customer' });
  const { text } = await visit(page);
  expect(text).toContain('href="https://ups.example/1Z&#34;onmouseover=&#34;x" rel="noopener noreferrer"');
  for (const bad of ['<script>', '<i>goods', '<b>UPS', 'Difficult']) expect(text).not.toContain(bad);
  expect(textOf(text)).toContain('Fragile <i>goods</i>');
  expect(textOf(text)).toContain(`Shipment ${made.shipment_number} is on its way`);
  await shop.app.ctx.tx((ctx) =>
    ctx.db.knex('shipments').where({ id: made.id }).update({ tracking_url: 'javascript:alert(1)' }),
  );
  expect((await visit(page)).text).not.toContain('javascript:');
  const data = (await json(`by-token/${token}`)).body.data as unknown as ShopperOrderShown;
  expect(data.shipments).toMatchObject([{ shipment_number: made.shipment_number, status: 'shipped' }]);
  expect(data.events.map(({ body }) => body).filter(Boolean)).toEqual(['Fragile <i>goods</i>']);
});

it('JSON answers the whole order to whoever has the token, without what the processor says of it', async () => {
  const { order, token } = await ordered();
  const { status, body, headers } = await json(`by-token/${token}`);
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(body.data).toMatchObject({
    id: order.id,
    payments: [{ status: 'captured', amount_cents: 4300 }],
    refunds: [],
    actions: { can_cancel: true, can_pay: false },
    shipments: [],
  });
  for (const own of ['transaction_id', 'internal_note', 'raw', 'user_agent'])
    expect(body.data).not.toHaveProperty(own);
});

it('foreign, shortened and expired tokens open nothing, and the page says where to go', async () => {
  const { token, order } = await ordered();
  const wrong = [
    token.slice(1),
    `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    order.id,
    '%00',
    "'--",
  ];
  for (const one of wrong) {
    const reply = await json(`by-token/${one}`);
    expect([reply.status, reply.body.error_code, detailsOf(reply).reason]).toEqual([
      404,
      'NOT_FOUND',
      'TOKEN_INVALID',
    ]);
    expect((await visit(`/shop/order/${one}`)).status).toBe(404);
  }
  shop.app.clock.advance(31 * 86_400);
  const late = await json(`by-token/${token}`);
  expect([late.status, late.body.details]).toEqual([404, { reason: 'TOKEN_EXPIRED' }]);
  const page = await visit(`/shop/order/${token}`);
  expect([page.status, page.headers['referrer-policy']]).toEqual([410, 'no-referrer']);
  expect(page.text).toContain('href="/shop/track"');
});

it('a shopper cancels within the time for it: the money goes back, and looking alone cancels nothing', async () => {
  const { order, page, email, variantId } = await ordered();
  const browser = openBrowser(shop.app.send);
  expect((await browser.open(`${page}/cancel`)).headers.location).toBe(page);
  const { result, changes } = await shop.app.changesBy(async () => {
    const { text } = await browser.open(page);
    return browser.post(`${page}/cancel`, { _csrf: /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '' });
  });
  expect([result.status, result.headers.location]).toEqual([303, page]);
  expect(toldOf(changes.events)).toContain('order.cancelled');
  const text = textOf((await browser.open(page)).text);
  for (const words of ['Canceled', 'Refunded', '-$43.00']) expect(text).toContain(words);
  expect(text).not.toContain('Cancel order');
  // One refund is one line of the history.
  expect(text.split('Refund: $43.00')).toHaveLength(2);
  expect((await shop.staff.data(`/orders/${order.id}`)).payment_status).toBe('refunded');
  expect(await shop.levelOf(variantId)).toEqual({ on_hand: 9, reserved: 0 });
  expect((await lastMail(email)).token).toHaveLength(43);
});

it('after that time, or once something is packed, it is too late', async () => {
  const packed = await ordered();
  await shop.staff.data(`/orders/${packed.order.id}/shipments`, 'POST', {});
  const early = await ordered();
  const { text } = await visit(early.page);
  expect(textOf(text)).toContain('Cancel order');
  shop.app.clock.advance(31 * 60);
  for (const { page, token } of [packed, early]) {
    expect(textOf((await visit(page)).text)).not.toContain('Cancel order');
    expect((await json(`by-token/${token}`)).body.data).toMatchObject({ actions: { can_cancel: false } });
    const browser = openBrowser(shop.app.send);
    const form = await browser.open('/shop/track');
    const sent = await browser.post(`${page}/cancel`, {
      _csrf: /name="_csrf" value="([^"]*)"/.exec(form.text)?.[1] ?? '',
    });
    expect([sent.status, textOf(sent.text).includes('can no longer be canceled')]).toEqual([400, true]);
  }
});

it('an order is found by number and address, in whatever case, and in seven languages', async () => {
  const { order, email } = await ordered('offline');
  const sent = await openBrowser(shop.app.send).submit('/shop/track', {
    order_number: ` #${order.order_number} `,
    email: email.toUpperCase(),
  });
  expect(sent.status).toBe(200);
  for (const words of ['Waiting for payment', 'Order received']) expect(textOf(sent.text)).toContain(words);
  expect(sent.text).not.toContain('Main Street');
  const german = await openBrowser(shop.app.send).submit('/shop/track?lang=de', {
    order_number: String(order.order_number),
    email,
  });
  expect(textOf(german.text)).toContain('Wartet auf Zahlung');
  const { body } = await shop.app.send('/api/shop/orders/track', {
    method: 'POST',
    body: { order_number: order.order_number, email },
  });
  expect(body.data).toMatchObject({
    id: order.id,
    status: 'pending',
    shipments: [],
    events: [{ to: 'pending' }],
  });
  expect(body.data).not.toHaveProperty('addresses');
});

it('whose payment was refused is paid again; one of which another amount was taken is not', async () => {
  const shown = async (source: string) => {
    const { shopper, number } = await wentWrong(newAddress(), source);
    return textOf((await shopper.browser.open(`/shop/checkout/failed/${number}`)).text);
  };
  expect(await shown('declined')).toContain('You were not charged');
  const taken = await shown('wrong_amount');
  expect(taken).toContain('Do not pay again');
  expect(taken).not.toContain('Try again');
});

it('an unknown number, the address of another order and an order that was never placed are refused alike', async () => {
  const { order } = await ordered();
  const other = await ordered();
  const unplaced = await declined(other.email);
  const tried = [
    { order_number: '999999', email: other.email },
    { order_number: String(order.order_number), email: other.email },
    { order_number: unplaced, email: other.email },
    { order_number: "1' OR 1=1 --", email: '%' },
    { order_number: String(order.order_number), email: `${other.email}\r\nBcc: x@y.test` },
  ];
  const answers = await Promise.all(
    tried.map((body) => shop.app.send('/api/shop/orders/track', { method: 'POST', body })),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(404);
  for (const one of tried) {
    const page = await openBrowser(shop.app.send).submit('/shop/track', one);
    expect([
      page.status,
      textOf(page.text).includes('No order matches this number and email address.'),
    ]).toEqual([400, true]);
  }
});

it('whoever tracks an order has its link mailed to its address, every ten minutes at most', async () => {
  const { order, email, page } = await ordered();
  await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
  await mailWorker(shop.app.ctx).idle();
  server.mails.length = 0;
  const about = { order_number: String(order.order_number), email };
  const found = await openBrowser(shop.app.send).submit('/shop/track', about);
  expect(textOf(found.text)).toContain('Items of this order can be returned.');
  expect(found.text).not.toContain(page);
  const ask = () => openBrowser(shop.app.send).submit('/shop/track', { ...about, link: '1' });
  expect(textOf((await ask()).text)).toContain('We are sending a link');
  const { token } = await lastMail(email);
  expect(server.mails).toHaveLength(1);
  expect(textOf((await openBrowser(shop.app.send).open(`/shop/order/${token}/return`)).text)).toContain(
    'Return items',
  );
  await ask();
  await lastMail(email);
  expect(server.mails).toHaveLength(1);
  shop.app.clock.advance(601);
  await ask();
  await lastMail(email);
  expect(server.mails).toHaveLength(2);
  const foreign = { order_number: about.order_number, email: 'eve@mail.example', link: '1' };
  expect((await openBrowser(shop.app.send).submit('/shop/track', foreign)).status).toBe(400);
  await mailWorker(shop.app.ctx).idle();
  expect(server.mails).toHaveLength(2);
});

it('ten tries of an address in five minutes are enough, by page and JSON together', async () => {
  const strict = await openOrderShop({ limits: 'on' });
  const ask = () =>
    strict.app.send('/api/shop/orders/track', {
      method: 'POST',
      body: { order_number: '1', email: 'a@b.test' },
    });
  for (let at = 0; at < 9; at++) expect((await ask()).status).toBe(404);
  expect(
    (await openBrowser(strict.app.send).submit('/shop/track', { order_number: '1', email: 'x' })).status,
  ).toBe(400);
  expect((await ask()).status).toBe(429);
  await strict.app.close();
});

it('the browser that ordered is led from the thank-you page to the order and its invoice; another one is not', async () => {
  const email = newAddress();
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: await shop.stocked(3) });
  const sent = { email, shipping_address: ANN, shipping_method_id: shop.methodId, processor: 'fake' };
  const { order } = await shopper.data<PlacedShown>('/checkout', { ...sent, source_id: 'ok' });
  const thanks = `/shop/checkout/success/${order.order_number}`;
  const text = textOf((await shopper.browser.open(thanks)).text);
  for (const words of [
    `Your order number is ${order.order_number}.`,
    email,
    '$24.00',
    'Show order',
    'Invoice (PDF)',
  ])
    expect(text).toContain(words);
  const led = await shopper.browser.submit(thanks, {}, {});
  expect(led.status).toBe(405);
  const { text: html } = await shopper.browser.open(thanks);
  const to = await shopper.browser.post(`${thanks}/order`, { _csrf: tokenIn(html) });
  expect([to.status, LINK.test(String(to.headers.location))]).toEqual([303, true]);
  expect((await visit(String(to.headers.location))).status).toBe(200);
  const invoice = await shopper.browser.open(`${thanks}/invoice.pdf`);
  expect([invoice.status, invoice.headers['content-type'], invoice.headers['cache-control']]).toEqual([
    200,
    'application/pdf',
    'no-store',
  ]);
  expect(String(invoice.headers['content-disposition'])).toMatch(
    /^attachment; filename="invoice-[\w-]+\.pdf"$/,
  );
  for (const path of ['', '/invoice.pdf']) expect((await visit(thanks + path)).status).toBe(404);
});

it('the thank-you page asks for what is still to be paid after a part came', async () => {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: await shop.stocked(3) });
  const sent = { email: newAddress(), shipping_address: ANN, shipping_method_id: shop.methodId };
  const { order } = await shopper.data<PlacedShown>('/checkout', { ...sent, processor: 'offline' });
  const path = `/shop/checkout/success/${order.order_number}`;
  const asked = async () =>
    /Please pay [^ ]+(?=\.)/.exec(textOf((await shopper.browser.open(path)).text))?.[0];
  const row = await shop.knex()('orders').where({ order_number: order.order_number }).first('id');
  const pay = (cents: number) =>
    shop.staff.data(`/orders/${row?.id}/payments`, 'POST', { amount_cents: cents, method: 'cash' });
  expect(await asked()).toBe('Please pay $24.00');
  await pay(400);
  expect(await asked()).toBe('Please pay $20.00');
  await pay(2000);
  expect(await asked()).toBeUndefined();
});

it('the link of a mail opens the invoice, too, and that of another order does not', async () => {
  const { page } = await ordered('offline');
  const reply = await shop.app.send(`${page}/invoice.pdf`);
  expect([reply.status, reply.headers['referrer-policy'], reply.headers['x-robots-tag']]).toEqual([
    200,
    'no-referrer',
    'noindex',
  ]);
  expect(reply.text.slice(0, 5)).toBe('%PDF-');
  const other = await visit(`/shop/order/${'a'.repeat(43)}/invoice.pdf`);
  expect([other.status, String(other.headers['content-type'])]).toEqual([404, 'text/html; charset=utf-8']);
});

it('what went back is not asked for again', async () => {
  const { order, page } = await ordered('offline');
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 4300, method: 'check' });
  await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
    adjustment_cents: 500,
    reason: 'A scratch',
  });
  const text = textOf((await visit(page)).text);
  expect(text).toContain('Partially refunded');
  for (const words of ['Please pay', 'IBAN', 'Pay now']) expect(text).not.toContain(words);
});

it('an order that waits for its money is paid from its page; a paid one offers nothing to pay', async () => {
  const { order, page, token, email } = await ordered('offline');
  const browser = openBrowser(shop.app.send);
  const { text } = await browser.open(page);
  for (const words of ['Please pay $43.00.', 'IBAN DE00 1234', 'Pay now'])
    expect(textOf(text)).toContain(words);
  const led = await browser.post(`${page}/pay`, { _csrf: tokenIn(text) });
  const address = String(led.headers.location);
  expect([led.status, address.startsWith('/shop/pay/'), address.includes(token)]).toEqual([303, true, false]);
  const paid = await browser.submit(address, {
    processor: 'fake',
    source: 'ok',
    expected: String(order.total_cents),
  });
  expect(paid.status).toBe(303);
  const after = textOf((await browser.open(page)).text);
  expect([after.includes('Paid'), after.includes('Pay now'), after.includes('IBAN')]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await lastMail(email)).text).toContain('has arrived');
  const late = await browser.post(`${page}/pay`, {
    _csrf: tokenIn((await browser.open('/shop/track')).text),
  });
  expect(late.status).toBe(400);
});

it('no log has a token in it', async () => {
  const { page, token } = await ordered();
  await visit(page);
  await json(`by-token/${token}`);
  expect(log).toContain('/shop/order/{token}');
  expect(log).not.toContain(token);
});
