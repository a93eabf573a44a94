// What a page asks about whoever looks at it; who only looks stores nothing; failures in the visitor's language.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import { member } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp({ limits: 'on' });
  client = await storeClient(app);
});
afterAll(() => app.close());

const sessions = async (): Promise<number> => {
  const row = await app.instance.database.db.knex('sessions').count({ rows: '*' }).first();
  return Number(row?.rows);
};
const countries = async (query = '', headers: Record<string, string> = {}) => {
  const reply = await app.send(`/api/shop/countries${query}`, { headers });
  return { ...reply, all: reply.body.data as unknown as Record<string, unknown>[] };
};

it('tells a guest and staff apart, with a token that forms are accepted with; looking stores nothing', async () => {
  const before = await sessions();
  const browser = openBrowser(app.send);
  const guest = await browser.open('/api/shop/session');
  expect(guest.body.data).toEqual({
    customer: null,
    admin: false,
    csrf_token: expect.stringMatching(/^[\w-]{86}$/),
    cart_count: 0,
    features: expect.objectContaining({ reviews: false }),
  });
  expect(guest.headers['cache-control']).toBe('no-store');
  expect(browser.session()).toMatch(/^s%3Ag\.[\w%.-]+$/);
  expect(await sessions()).toBe(before);
  const token = (guest.body.data as unknown as { csrf_token: string }).csrf_token;
  const sent = { _csrf: token, email: 'token@x.test' };
  expect((await browser.post('/shop/newsletter', sent)).status).toBe(303);
  expect(await sessions()).toBe(before);
  const { browser: staff } = await member(app);
  expect((await staff.open('/api/shop/session')).body.data).toMatchObject({ admin: true, customer: null });
  const withHeader = await app.send('/api/shop/session', { headers: { Authorization: 'Bearer ask_no' } });
  expect([withHeader.status, withHeader.body.error_code]).toEqual([401, 'AUTH_UNAUTHORIZED']);
});

it('a crawl without cookies stores no session', async () => {
  const product = await client.data('/products', 'POST', mug({ status: 'active' }));
  const page = await client.data('/pages', 'POST', { title: 'Terms', body_html: 'x', status: 'published' });
  const paths = [
    '/shop/',
    '/shop/products',
    `/shop/products/${product.slug}`,
    `/shop/pages/${page.slug}`,
    '/shop/collections',
    '/shop/contact',
    '/shop/newsletter?email=a%40b.test',
    '/shop/none',
    '/api/shop/session',
    '/api/shop/countries',
    '/api/shop/config',
    '/sitemap.xml',
  ];
  const before = await sessions();
  const { changes } = await app.changesBy(async () => {
    for (const path of paths) await app.send(path);
  });
  expect(await sessions()).toBe(before);
  expect(changes.rows).toEqual({});
});

it('names countries in the language that was asked for, with their states, in the order of that language', async () => {
  const { all, headers } = await countries();
  expect(headers.vary).toContain('Accept-Language');
  expect(all).toHaveLength(249);
  const of = (code: string) => all.find((one) => one.code === code) as { states: { code: string }[] };
  expect(of('US').states).toContainEqual({ code: 'CA', name: 'California' });
  expect([of('CA').states.length, of('AU').states.length, of('DE').states.length]).toEqual([13, 8, 0]);
  expect(of('DE')).toEqual({ code: 'DE', name: 'Germany', states: [], postal_required: true });
  expect(of('HK')).toMatchObject({ postal_required: false });
  const german = await countries('?lang=de&for=shipping');
  expect(german.all.find(({ code }) => code === 'DE')?.name).toBe('Deutschland');
  expect(german.all.slice(0, 3).map(({ name }) => name)).toEqual(['Afghanistan', 'Ägypten', 'Ålandinseln']);
  const asked = await countries('', { 'Accept-Language': 'fr-CA,fr;q=0.8' });
  expect(asked.all.find(({ code }) => code === 'DE')?.name).toBe('Allemagne');
  const same = await countries('', { 'If-None-Match': String(headers.etag) });
  expect(same.status).toBe(304);
  for (const lang of ['xx', '%00', 'e'.repeat(20)])
    expect([200, 400]).toContain((await countries(`?lang=${lang}`)).status);
  expect((await countries('?for=nothing')).status).toBe(400);
});

it('says in words when a form may be sent again, in the language of whoever waits', async () => {
  const browser = openBrowser(app.send);
  const send = () =>
    browser.post('/shop/contact', { email: 'a@b.test', message: 'x' }, { 'Accept-Language': 'de' });
  for (let sent = 0; sent < 5; sent++) await send();
  const { status, text, headers } = await send();
  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(text).toContain('<html lang="de" dir="ltr">');
  expect(text).toContain('Einen Moment, bitte');
  expect(text).toMatch(/Sie können es in \d+ (Minuten|Sekunden) erneut versuchen/);
  expect(text).toContain('role="search"');
  expect(text).toContain('href="/shop/products?sort=newest"');
  // By JSON the same visitor is counted with it.
  const json = await app.send('/api/shop/contact', {
    method: 'POST',
    body: { email: 'a@b.test', message: 'x' },
  });
  expect([json.status, json.body.error_code]).toEqual([429, 'RATE_LIMITED']);
});

it('a missing page has the layout of the shop, its search and popular links, in the language of the visitor', async () => {
  for (const path of ['/shop/none', '/shop/pages/none', '/shop/products/none']) {
    const { status, text } = await app.send(path, { headers: { 'Accept-Language': 'ar' } });
    expect(status).toBe(404);
    expect(text).toContain('<html lang="ar" dir="rtl">');
    expect(text).toContain('name="q"');
    expect(text).toContain('href="/shop/products?on_sale=1"');
    expect(text).toContain('<meta name="robots" content="noindex">');
  }
  const wrong = await app.send('/shop/?lang=fr', { method: 'POST', body: {} });
  expect([wrong.status, wrong.text.includes('lang="fr"')]).toEqual([405, true]);
});

it('shows how to reach the shop once its settings say so, and to whom faults are reported', async () => {
  expect((await app.send('/.well-known/security.txt')).status).toBe(404);
  await settings.setTexts(app.ctx, {
    store_email: ' shop@example.com ',
    store_phone: '+49 30 123',
    store_address: 'Main Street 1\n12345 <Town>',
  });
  const { text } = await app.send('/shop/contact');
  expect(text).toContain('href="mailto:shop@example.com"');
  expect(text).toContain('href="tel:+4930123"');
  expect(text).toContain('12345 &lt;Town&gt;');
  const file = await app.send('/.well-known/security.txt');
  expect(file.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(file.text).toMatch(
    /^Contact: mailto:shop@example\.com\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\nCanonical: http/,
  );
  const refused = await client.send('/settings', 'PATCH', { store_email: 'not an address' });
  expect([refused.status, refused.body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
});
