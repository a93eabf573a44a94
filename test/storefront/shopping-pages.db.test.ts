// Cart and checkout by their forms alone, as a browser without JavaScript sends them (shop-pages 2).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp({
    productionMode: false,
    pins: {
      payment_processor: 'fake',
      payment_processors_enabled: '["offline"]',
      offline_instructions: 'IBAN DE00 1234',
    },
  });
  staff = await storeClient(app);
  const zone = await staff.data('/shipping/zones', 'POST', { name: 'Home', regions: [{ country: 'US' }] });
  for (const [name, cents] of [
    ['Parcel', 500],
    ['Express', 1500],
  ]) {
    const method = await staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', { name, kind: 'flat' });
    await staff.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: cents }] });
  }
});
afterAll(() => app.close());

/** A product with its page, of which there are so many. */
async function sold(stock = 5, fields: object = {}) {
  const sku = `PAGE-${crypto.randomUUID()}`;
  const made = await staff.data(
    '/products',
    'POST',
    mug({ status: 'active', variants: [{ sku, price_cents: 1900, stock }], ...fields }),
  );
  const [{ id }] = made.variants as [{ id: string }];
  return { path: `/shop/products/${made.slug}`, variantId: id, title: String(made.title) };
}

/** Sends the form of a page that goes to an address of its own. */
async function sendTo(browser: Browser, from: string, to: string, fields: Record<string, string>) {
  const { text } = await browser.open(from);
  return browser.post(to, { _csrf: tokenIn(text), ...fields });
}

async function withCart(stock = 5) {
  const product = await sold(stock);
  const browser = openBrowser(app.send);
  const added = await sendTo(browser, product.path, '/shop/cart/add', {
    variant_id: product.variantId,
    quantity: '2',
  });
  expect([added.status, added.headers.location]).toEqual([303, '/shop/cart']);
  return { browser, ...product };
}

const address = {
  email: 'ann@example.test',
  name: 'Ann Miller',
  line1: '1 Main Street',
  postal_code: '62701',
  city: 'Springfield',
  state: 'Illinois',
  country: 'US',
};
/** The value of a hidden field. */
const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
/** The value of a choice by the text beside it. */
const choice = (html: string, name: string, beside: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"[^>]*> <span><b>${beside}`).exec(html)?.[1] ?? '';

it('puts a product into the cart from its page, changes it there, and says how many there are', async () => {
  const { browser, title } = await withCart();
  const { text } = await browser.open('/shop/cart');
  expect(text).toContain(title);
  expect(text).toContain('$38.00');
  expect(text).toContain('Cart (2)');
  const item = { item_id: hidden(text, 'item_id') };
  await sendTo(browser, '/shop/cart', '/shop/cart/update', { ...item, quantity: '3' });
  expect((await browser.open('/shop/cart')).text).toContain('$57.00');
  const wrong = await sendTo(browser, '/shop/cart', '/shop/cart/update', { ...item, quantity: '-1' });
  expect([wrong.status, /role="alert"/.test(wrong.text)]).toEqual([400, true]);
  await sendTo(browser, '/shop/cart', '/shop/cart/remove', item);
  expect((await browser.open('/shop/cart')).text).toContain('Your cart is empty.');
  expect((await browser.open('/shop/checkout')).headers.location).toBe('/shop/cart');
});

it('takes a code, and says of another one in the language of the page that it is not valid', async () => {
  const { browser } = await withCart();
  const code = `PAGE${Date.now()}`;
  await staff.data('/promotions', 'POST', {
    name: 'Ten percent',
    code,
    type: 'coupon',
    effect: 'percent',
    percent_bps: 1000,
    status: 'active',
  });
  await sendTo(browser, '/shop/cart', '/shop/cart/coupon', { promotion: code });
  expect((await browser.open('/shop/cart')).text).toContain('$34.20');
  const wrong = await sendTo(browser, '/shop/cart', '/shop/cart/coupon?lang=de', { promotion: '<b>x</b>' });
  expect([wrong.status, wrong.text.includes('Dieser Code ist nicht gültig')]).toEqual([400, true]);
  // Its field is open and has what was typed, to be corrected.
  expect(wrong.text).toMatch(/<details open>[^§]*name="promotion" value="&lt;b&gt;x&lt;\/b&gt;"/);
});

it('asks for the address first, then for shipping and payment, and orders with what was shown', async () => {
  const { browser } = await withCart();
  const first = await browser.open('/shop/checkout');
  expect(first.text).not.toContain('name="processor"');
  expect(first.headers['cache-control']).toContain('no-store');
  const stored = await sendTo(browser, '/shop/checkout', '/shop/checkout/details', address);
  expect(stored.headers.location).toBe('/shop/checkout#payment');
  const { text } = await browser.open('/shop/checkout');
  expect(text).toContain('value="IL"');
  expect(text).toContain('$43.00');
  const placed = await browser.post('/shop/checkout', {
    ...address,
    _csrf: tokenIn(text),
    cart: hidden(text, 'cart'),
    expected: hidden(text, 'expected'),
    method: choice(text, 'method', 'Parcel'),
    processor: 'offline',
    note: 'Ring <b>twice</b>',
  });
  const thanks = String(placed.headers.location);
  expect([placed.status, thanks]).toEqual([303, expect.stringMatching(/^\/shop\/checkout\/success\/\d+$/)]);
  const done = (await browser.open(thanks)).text;
  for (const words of ['Thank you', 'ann@example.test', '$43.00', 'IBAN DE00 1234', 'Cart (0)'])
    expect(done).toContain(words);
  expect((await openBrowser(app.send).open(thanks)).status).toBe(404);
});

it('orders once when its form is sent twice', async () => {
  const { browser } = await withCart();
  await sendTo(browser, '/shop/checkout', '/shop/checkout/details', address);
  const { text } = await browser.open('/shop/checkout');
  const form = {
    ...address,
    _csrf: tokenIn(text),
    cart: hidden(text, 'cart'),
    expected: hidden(text, 'expected'),
    method: choice(text, 'method', 'Parcel'),
    processor: 'fake',
    source: 'ok',
  };
  const sent = await Promise.all([
    browser.post('/shop/checkout', form),
    browser.post('/shop/checkout', form),
  ]);
  // Whoever comes second may find the payment under way, and waits for it at the same order.
  const places = sent.map(({ headers }) => String(headers.location));
  expect(new Set(places.map((place) => /\d+$/.exec(place)?.[0])).size).toBe(1);
  expect(places.some((place) => place.includes('/success/'))).toBe(true);
  for (const place of places.filter((one) => one.includes('/return/')))
    expect((await browser.open(place)).headers.location).toMatch(/\/success\/\d+$/);
});

it('never charges another total than the one that was shown', async () => {
  const { browser } = await withCart();
  await sendTo(browser, '/shop/checkout', '/shop/checkout/details', address);
  const { text } = await browser.open('/shop/checkout');
  const method = choice(text, 'method', 'Express');
  const form = { ...address, method, processor: 'offline', expected: hidden(text, 'expected') };
  const changed = await browser.post('/shop/checkout', { ...form, _csrf: tokenIn(text) });
  expect([changed.status, changed.text.includes('The total has changed')]).toEqual([400, true]);
  expect(hidden(changed.text, 'expected')).toBe('5300');
});

it('says what is wrong beside each field, keeps what was filled in, and ships only where it can', async () => {
  const { browser } = await withCart();
  const wrong = await sendTo(browser, '/shop/checkout', '/shop/checkout/details', {
    email: 'ann@example.test, eve@evil.test',
    name: '"><script>',
    country: 'US',
  });
  expect(wrong.status).toBe(400);
  for (const field of ['email', 'line1', 'city', 'postal_code', 'state'])
    expect(wrong.text).toContain(`href="#field-${field}"`);
  expect(wrong.text).toContain('value="&#34;&gt;&lt;script&gt;"');
  await sendTo(browser, '/shop/checkout', '/shop/checkout/details', { ...address, state: '', country: 'DE' });
  const { text } = await browser.open('/shop/checkout');
  expect(text).toContain('t ship to this address');
});

it('leads a declined payment to another try, and one that waits for its buyer back to the order', async () => {
  const { browser } = await withCart();
  await sendTo(browser, '/shop/checkout', '/shop/checkout/details', address);
  const pay = async (source: string) => {
    const { text } = await browser.open('/shop/checkout');
    const method = choice(text, 'method', 'Parcel');
    const form = { ...address, method, processor: 'fake', source, expected: hidden(text, 'expected') };
    return browser.post('/shop/checkout', { ...form, _csrf: tokenIn(text) });
  };
  const declined = String((await pay('declined')).headers.location);
  expect(declined).toMatch(/^\/shop\/checkout\/failed\/\d+$/);
  expect((await browser.open(declined)).text).toContain('You were not charged');
  const waits = String((await pay('pending')).headers.location);
  expect(waits).toMatch(/^\/shop\/checkout\/return\/fake\?order=\d+$/);
  expect((await openBrowser(app.send).open(waits)).status).toBe(404);
});

it('leads to the page of the processor without a redirect, which the content policy of the form would stop', async () => {
  const { browser } = await withCart();
  await sendTo(browser, '/shop/checkout', '/shop/checkout/details', address);
  const { text } = await browser.open('/shop/checkout');
  const form = { ...address, processor: 'fake', source: 'needs_action', expected: hidden(text, 'expected') };
  const method = choice(text, 'method', 'Parcel');
  const sent = await browser.post('/shop/checkout', { ...form, method, _csrf: tokenIn(text) });
  const [, url = ''] = /^0; url=(.+)$/.exec(String(sent.headers.refresh)) ?? [];
  expect([sent.status, sent.headers['cache-control'], sent.text.includes(`href="${url}"`)]).toEqual([
    200,
    'no-store',
    true,
  ]);
  const { pathname, search } = new URL(url);
  const back = await browser.open(pathname + search);
  expect([back.status, back.headers.location]).toEqual([303, expect.stringMatching(/success/)]);
});

it('refuses forms without the token of the session', async () => {
  const { browser, variantId } = await withCart();
  for (const path of ['/shop/cart/add', '/shop/checkout', '/shop/checkout/details'])
    expect((await browser.post(path, { variant_id: variantId })).status).toBe(403);
});
