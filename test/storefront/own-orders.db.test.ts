// Orders of customers who signed in (storefront-api.md, G): their own alone, by JSON and by pages.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consentsOf } from '#storefront/people/consents/index.ts';
import { issue } from '#storefront/pricing/gift-cards/index.ts';
import { tokenIn } from '../support/browser.ts';
import { type CustomerClient, customerClient, openJson } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN, detailsOf } from './shopper.ts';

let shop: OrderShop;
let ann: CustomerClient;
let eve: CustomerClient;
let mugId: string;
beforeAll(async () => {
  shop = await openOrderShop();
  mugId = await shop.stocked(1000);
  [ann, eve] = [await customerClient(shop.app), await customerClient(shop.app)];
}, 120_000);
afterAll(() => shop.app.close());

type Json = Awaited<ReturnType<typeof openJson>>;
type Order = { id: string; order_number: string; status: string; email: string };

async function ordered(
  who: CustomerClient,
  quantity = 1,
  processor = 'fake',
  variantId = mugId,
  at = shop,
): Promise<Order> {
  await who.data('/api/store/cart/add', 'POST', { variant_id: variantId, quantity });
  const sent = at.order(processor, { email: who.email });
  return (await who.data<{ order: Order }>('/api/store/checkout', 'POST', sent)).order;
}

it('lists the own orders page by page, by status and day, and those of nobody else', async () => {
  const mine: Order[] = [];
  for (let n = 0; n < 3; n++) {
    mine.push(await ordered(ann));
    shop.app.clock.advance(120);
  }
  await ordered(eve);
  const page = (query: string) => ann.send(`/api/shop/orders?${query}`);
  const { body } = await page('per_page=2');
  expect((body.data as unknown as Order[]).map(({ id }) => id)).toEqual([mine[2]?.id, mine[1]?.id]);
  expect(body.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
  expect(((await page('page=2&per_page=2')).body.data as unknown as Order[]).map(({ id }) => id)).toEqual([
    mine[0]?.id,
  ]);
  expect((await page('page=9')).body).toMatchObject({ data: [], pagination: { total: 3 } });
  expect((await page('status=cancelled')).body).toMatchObject({ pagination: { total: 0 } });
  const today = shop.app.ctx.now().slice(0, 10);
  expect((await page(`from=${today}&to=${today}`)).body).toMatchObject({ pagination: { total: 3 } });
  expect((await page(`to=2020-01-01`)).body).toMatchObject({ pagination: { total: 0 } });
  for (const wrong of ['from=yesterday', 'to=2030-02-31', 'status=lost', 'page=0', 'per_page=101'])
    expect([wrong, (await page(wrong)).status]).toEqual([wrong, 400]);
});

it('an order of somebody else is unknown, by number, by id and by every operation', async () => {
  const mine = await ordered(ann);
  for (const name of [mine.order_number, mine.id, '999999'])
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/invoice.pdf'],
      ['GET', '/shipments'],
      ['POST', '/cancel'],
      ['POST', '/reorder'],
    ] as const) {
      const answer = await eve.refusal(
        `/api/shop/orders/${name}${path}`,
        method,
        method === 'POST' ? {} : undefined,
      );
      expect([name, path, ...answer.slice(0, 2)]).toEqual([name, path, 404, 'NOT_FOUND']);
    }
  expect((await eve.browser.open(`/shop/account/orders/${mine.order_number}`)).status).toBe(404);
  expect((await eve.browser.open(`/shop/account/orders/${mine.order_number}/invoice.pdf`)).status).toBe(404);
  expect(await ann.data(`/api/shop/orders/${mine.order_number}`)).toMatchObject({
    id: mine.id,
    actions: { can_cancel: true },
  });
  const invoice = await ann.send(`/api/shop/orders/${mine.order_number}/invoice.pdf`);
  expect([invoice.status, invoice.headers['content-type']]).toEqual([200, 'application/pdf']);
});

it('cancels early, twice at once cancels once, and not after it was shipped', async () => {
  const mine = await ordered(ann);
  const cancel = (order: Order) => ann.send(`/api/shop/orders/${order.order_number}/cancel`, 'POST', {});
  const both = await Promise.all([cancel(mine), cancel(mine)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await ann.data(`/api/shop/orders/${mine.id}`)).toMatchObject({
    status: 'cancelled',
    payment_status: 'refunded',
  });
  const late = await ordered(ann);
  shop.app.clock.advance(31 * 60);
  const refused = await cancel(late);
  expect([refused.status, detailsOf(refused).reason]).toEqual([400, 'INVALID_TRANSITION']);
});

it('sends the confirmation again, three times an hour', async () => {
  const strict = await openOrderShop({ limits: 'on' });
  const bob = await customerClient(strict.app);
  const mine = await ordered(bob, 1, 'fake', await strict.stocked(9), strict);
  const again = () => bob.send(`/api/shop/orders/${mine.order_number}/resend-confirmation`, 'POST', {});
  const mails = () =>
    strict.knex()('email_log').where({ template: 'order_confirmation', related_id: mine.id }).select('id');
  const before = (await mails()).length;
  expect([
    (await again()).status,
    (await again()).status,
    (await again()).status,
    (await again()).status,
  ]).toEqual([200, 200, 200, 429]);
  expect(await mails()).toHaveLength(before + 3);
  await strict.app.close();
});

it('orders again what can still be bought, and says what cannot', async () => {
  const bob = await customerClient(shop.app);
  const scarce = await shop.stocked(3);
  await bob.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 2 });
  const mine = await ordered(bob, 3, 'fake', scarce);
  expect(await bob.data(`/api/shop/orders/${mine.order_number}/reorder`, 'POST', {})).toMatchObject({
    added: [{ quantity: 2 }],
    missing: [{ quantity: 3 }],
    cart_count: 2,
  });
  const path = `/shop/account/orders/${mine.order_number}`;
  const sent = { _csrf: tokenIn((await bob.browser.open(path)).text) };
  const page = await bob.browser.post(`${path}/reorder`, sent);
  expect(page.text).toContain('no longer available');
});

it('the page of an order shows what its link shows, with buttons of the account', async () => {
  const mine = await ordered(ann, 1, 'offline');
  const path = `/shop/account/orders/${mine.order_number}`;
  const { text, headers } = await ann.browser.open(path);
  expect(text).toContain(`${path}/cancel`);
  expect(text).toContain(`${path}/reorder`);
  expect(headers['cache-control']).toContain('no-store');
  expect((await ann.browser.open('/shop/account/orders')).text).toContain(path);
  expect((await ann.browser.open('/shop/account')).text).toContain(path);
  expect((await ann.browser.post(`${path}/cancel`, { _csrf: tokenIn(text) })).status).toBe(303);
  expect(await ann.data(`/api/shop/orders/${mine.id}`)).toMatchObject({ status: 'cancelled' });
});

it('the checkout offers the addresses of the book and keeps a new one', async () => {
  const bob = await customerClient(shop.app);
  await bob.data('/api/shop/addresses', 'POST', { ...ANN, line1: '5 Book Street' });
  const other = await bob.data('/api/shop/addresses', 'POST', { ...ANN, line1: '6 Book Street' });
  await bob.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
  const first = (await bob.browser.open('/shop/checkout')).text;
  expect(first).toContain('value="5 Book Street"');
  expect(first).toContain(`value="${bob.email}"`);
  expect((await bob.browser.open(`/shop/checkout?address=${other.id}`)).text).toContain(
    'value="6 Book Street"',
  );
  expect((await eve.browser.open(`/shop/checkout?address=${other.id}`)).text).not.toContain('6 Book Street');
  const form = { ...ANN, line1: '7 New Street', email: bob.email, method: String(shop.methodId) };
  const placed = await bob.browser.submit('/shop/checkout', {
    ...form,
    processor: 'offline',
    save_address: '1',
  });
  expect(placed.headers.location).toContain('/shop/checkout/success/');
  const lines = (await bob.data<{ line1: string }[]>('/api/shop/addresses')).map(({ line1 }) => line1);
  expect(lines.toSorted()).toEqual(['5 Book Street', '6 Book Street', '7 New Street']);
});

it('the checkout fills in both defaults of the book; programs name an address of it, and of nobody else', async () => {
  const bob = await customerClient(shop.app);
  const home = await bob.data('/api/shop/addresses', 'POST', { ...ANN, line1: '5 Home Street' });
  const office = { ...ANN, line1: '6 Office Street', is_default_billing: true };
  await bob.data('/api/shop/addresses', 'POST', office);
  await bob.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
  const { text } = await bob.browser.open('/shop/checkout');
  expect(/id="field-line1"[^>]*value="([^"]*)"/.exec(text)?.[1]).toBe('5 Home Street');
  expect(/id="field-billing_line1"[^>]*value="([^"]*)"/.exec(text)?.[1]).toBe('6 Office Street');
  expect(text).toMatch(/name="other_billing" value="1" checked/);
  const set = (body: object) => bob.send('/api/store/checkout/addresses', 'POST', body);
  expect((await set({ address_id: home.id, same_as_shipping: true })).body.data).toMatchObject({
    shipping_address: { line1: '5 Home Street' },
  });
  expect((await set({ shipping_address: { ...ANN, line1: '7 New Street' }, save: true })).status).toBe(200);
  expect(await bob.data('/api/shop/addresses')).toHaveLength(3);
  await eve.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
  // Without an address in the book the name of the account is known.
  const fresh = (await eve.browser.open('/shop/checkout')).text;
  expect(/id="field-name"[^>]*value="([^"]*)"/.exec(fresh)?.[1]).toBe('Ann Miller');
  const stranger = await openJson(shop.app);
  await stranger.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
  for (const client of [eve, stranger])
    expect(await client.refusal('/api/store/checkout/addresses', 'POST', { address_id: home.id })).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
});

it('the checkout asks for emails with offers, unticked, and keeps the proof of who agrees with the order', async () => {
  const proofs = (customerId: string) => consentsOf(shop.app.ctx, customerId);
  const buy = async (client: Json, email: string) => {
    await client.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
    const { text } = await client.browser.open('/shop/checkout');
    const form = { ...ANN, email, method: String(shop.methodId), processor: 'offline' };
    const placed = await client.browser.submit('/shop/checkout', { ...form, accepts_marketing: '1' });
    expect(placed.headers.location).toContain('/shop/checkout/success/');
    return text;
  };
  const agreed = {
    granted: true,
    source: 'checkout',
    text: 'Send me news and offers by email',
    locale: 'en',
  };
  const bob = await customerClient(shop.app);
  const shown = await buy(bob, bob.email);
  expect(shown).toMatch(/name="accepts_marketing" value="1">/);
  expect(await proofs(bob.id)).toMatchObject([agreed]);
  // Whoever has agreed is not asked again.
  await bob.data('/api/store/cart/add', 'POST', { variant_id: mugId, quantity: 1 });
  expect((await bob.browser.open('/shop/checkout')).text).not.toContain('name="accepts_marketing"');
  await buy(await openJson(shop.app), 'guest-agrees@x.test');
  const guest = await shop.knex()('customers').where({ email: 'guest-agrees@x.test' }).first();
  expect(await proofs(guest.id)).toMatchObject([agreed]);
});

it('a gift card belongs to who claims it first; others learn nothing', async () => {
  const { code } = await shop.app.ctx.tx((ctx) =>
    issue(ctx, { amountCents: 5000, currency: 'USD', state: 'active' }),
  );
  const claim = (who: CustomerClient, sent: string) =>
    who.send('/api/shop/gift-cards/claim', 'POST', { code: sent });
  const both = await Promise.all([claim(ann, code), claim(eve, code)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  const [unknown] = [await claim(ann, 'AAAA-BBBB-CCCC-DDDD')];
  const refused = both.find(({ status }) => status === 400);
  expect(refused?.body.error).toEqual(unknown.body.error);
  const owner = both[0]?.status === 200 ? ann : eve;
  const { body } = await owner.send('/api/shop/gift-cards');
  expect(body.data).toMatchObject([{ is_owned: true, balance_cents: 5000 }]);
  expect(JSON.stringify(body)).not.toContain(code);
});
