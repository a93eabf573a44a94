// Where the shop's part of the panel begins: what to do, numbers, and the button that opens the shop (admin.md 5.1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TASK_NAMES, type Tasks, todoOf } from '#storefront/tools/home/todo.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const HOME = '/store/';
const open = (path: string) => openBrowser(app.send).open(path);

it('a new shop is told what to do before it opens', async () => {
  const { browser } = await member(app);
  expect((await browser.open('/store')).headers.location).toBe(HOME);
  const { status, text } = await browser.open(HOME);
  expect(status).toBe(200);
  expect(textOf(text)).toContain('0 of 10 done');
  expect(textOf(text)).toContain('No products are published yet, so visitors would see an empty shop.');
  const made = await client.data('/products', 'POST', mug({ title: 'Tea <b>' }));
  await client.data('/products', 'POST', mug({ publish_at: '2099-01-01T00:00:00Z' }));
  await client.data(`/products/${made.id}/publish`, 'POST', {});
  await client.data('/categories', 'POST', { name: 'Tea', slug: 'tea' });
  await client.data('/settings', 'PATCH', { store_name: 'Tea & Co' });
  for (const title of ['Terms', 'Privacy'])
    await client.data('/pages', 'POST', { title, body_markdown: 'Pay first.', status: 'published' });
  const after = textOf((await browser.open(HOME)).text);
  expect(after).toContain('4 of 10 done');
  expect(after).toContain('1 product in the shop has no picture');
  expect(after).toMatch(/Products in the shop 1 Drafts 1 /);
  expect(after).toContain('Tea <b> (active)');
});

it('counts what is low and what shoppers wrote, for those who may see it', async () => {
  const stock = { price_cents: 100, track_inventory: true };
  const made = await client.data('/products', 'POST', {
    title: 'Jar',
    type: 'physical',
    variants: [{ ...stock, sku: 'JAR', stock: 0 }],
  });
  expect(made.variants).toMatchObject([{ sku: 'JAR', inventory: { on_hand: 0, state: 'out' } }]);
  const { browser } = await member(app);
  const message = { email: 'ann@example.com', message: 'Is it blue?' };
  const sent = await app.send('/api/shop/contact', { method: 'POST', body: message });
  expect(sent.status).toBeLessThan(300);
  const { text } = await browser.open(HOME);
  expect(textOf(text)).toContain('1 message to answer');
  expect(textOf(text)).toContain('1 variant is low or out of stock');
  for (const href of ['/store/messages?status=open', '/store/inventory?low=true']) {
    expect(text).toContain(`href="${href}"`);
    expect(textOf((await browser.open(href)).text)).toMatch(/ann@example\.com|JAR/);
  }
  const reader = await member(app, ['products:read']);
  const seen = textOf((await reader.browser.open(HOME)).text);
  expect(seen).not.toMatch(/message to answer|out of stock/);
});

it('pages of the sample data count as done once somebody has changed them', async () => {
  const { browser } = await member(app);
  const mark = async () => /Done<\/span> <a href="\/store\/pages"/.test((await browser.open(HOME)).text);
  expect(await mark()).toBe(true);
  const { body } = await client.send('/pages');
  const pages = body.data as unknown as { id: string; slug: string; updated_at: string }[];
  const terms = pages.find(({ slug }) => slug === 'terms') as (typeof pages)[number];
  const noted = { id: terms.id, kind: 'page', slug: 'terms', created_at: app.ctx.now() };
  await app.ctx.tx(({ db }) => db.knex('sample_items').insert({ ...noted, mark: terms.updated_at }));
  expect(await mark()).toBe(false);
  app.clock.advance(1);
  await client.data(`/pages/${terms.id}`, 'PATCH', { body_markdown: 'Pay at once.' });
  expect(await mark()).toBe(true);
});

it('asks before a shop opens in which nobody can pay, and says so until somebody can', async () => {
  const { browser } = await member(app);
  const { result, changes } = await app.changesBy(() => browser.submit(HOME, { open: 'true' }));
  expect([result.status, changes.events]).toEqual([200, []]);
  expect(textOf(result.text)).toContain('Open the shop anyway?');
  expect(textOf(result.text)).toContain('No way to pay is set up: shoppers cannot order.');
  expect(textOf(result.text)).toContain('No shipping method is set up');
  await browser.submit(HOME, { open: 'true', sure: 'true' });
  const task = 'Choose how customers pay: the shop is open, but shoppers cannot order';
  expect(textOf((await browser.open(HOME)).text)).toContain(task);
  await client.data('/settings', 'PATCH', { payment_processor: 'offline' });
  expect(textOf((await browser.open(HOME)).text)).not.toContain(task);
  await browser.submit(HOME, { open: 'false' });
  expect(textOf((await browser.open(HOME)).text)).toContain('People who have a link to it can see it');
});

it('shoppers find no button to order with while nobody can pay', async () => {
  const digital = { type: 'digital', status: 'active' };
  const made = await client.data('/products', 'POST', mug(digital));
  const [{ id }] = made.variants as [{ id: string }];
  const shopper = openBrowser(app.send);
  await client.data('/settings', 'PATCH', { payment_processor: null });
  const from = await shopper.open(`/shop/products/${made.slug}`);
  const _csrf = tokenIn(from.text);
  await shopper.post('/shop/cart/add', { _csrf, variant_id: id, quantity: '1' });
  await shopper.post('/shop/checkout/details', { _csrf, email: 'ann@example.com', country: 'US' });
  const place = async () =>
    /<button type="submit"( disabled)?>Place order/.exec((await shopper.open('/shop/checkout')).text);
  expect((await place())?.[1]).toBe(' disabled');
  await client.data('/settings', 'PATCH', { payment_processor: 'offline' });
  expect((await place())?.[1]).toBeUndefined();
});

it('opens and closes the shop with a button, and back', async () => {
  const { browser } = await member(app);
  const { result, changes } = await app.changesBy(() => browser.submit(HOME, { open: 'true', sure: 'true' }));
  expect([result.status, result.headers.location]).toEqual([303, `${HOME}?done=opened`]);
  expect(changes.events).toEqual(['SETTING_CHANGED']);
  expect((await open('/')).headers.location).toBe('/shop/');
  const { text } = await browser.open(`${HOME}?done=opened`);
  expect(text).toMatch(/name="open" value="false">Undo</);
  expect(textOf(text)).not.toContain('Before you open');
  await browser.submit(HOME, { open: 'false' });
  expect((await open('/')).status).toBe(200);
  expect((await browser.submit(HOME, { open: 'maybe' })).status).toBe(400);
});

it('every task and figure leads to a list that knows its filter, and disabled webhooks alone are counted', async () => {
  const { browser } = await member(app);
  const one = { events: ['order.created'], description: 'Till' };
  const live = await client.data('/webhooks', 'POST', { ...one, url: 'https://till.example.com/a' });
  expect(textOf((await browser.open(HOME)).text)).not.toMatch(/webhooks? (is|are) disabled/);
  await client.data(`/webhooks/${live.id}`, 'PATCH', { active: false });
  expect(textOf((await browser.open(HOME)).text)).toContain('1 webhook is disabled');
  const all = Object.fromEntries(TASK_NAMES.map((name) => [name, 1])) as unknown as Tasks;
  const { text } = await browser.open(HOME);
  const figures = [...text.matchAll(/<dd><a href="([^"]*)"/g)].map(([, href = '']) => href);
  const hrefs = [...todoOf(all).map(({ href }) => href), ...figures];
  expect(hrefs.length).toBeGreaterThan(12);
  for (const href of hrefs) {
    const page = await browser.open(href);
    expect([href, page.status]).toEqual([href, 200]);
    expect(textOf(page.text), href).not.toContain('This list has no filter');
  }
});

it('shows everybody what he may see, and lets nobody else open the shop', async () => {
  const reader = await member(app, ['products:read']);
  const { text } = await reader.browser.open(HOME);
  expect(textOf(text)).toContain('In numbers');
  expect(text).not.toContain('name="open"');
  const { text: profile } = await reader.browser.open('/admin/profile');
  const _csrf = /name="_csrf" value="([^"]*)"/.exec(profile)?.[1] ?? '';
  expect((await reader.browser.post(HOME, { _csrf, open: 'true' })).status).toBe(403);
  const other = await member(app, ['licensing:read']);
  expect(textOf((await other.browser.open(HOME)).text)).not.toContain('In numbers');
  expect((await open(HOME)).headers.location).toBe('/store/login?next=%2Fstore%2F');
});

it('is where staff of the shop alone begins, and staff of nothing does not', async () => {
  const { email } = await member(app, ['inventory:read']);
  const right = { email, password: 'correct horse' };
  const own = await openBrowser(app.send).submit('/store/login', right);
  expect([own.status, own.headers.location]).toEqual([303, HOME]);
  const other = await member(app, ['licensing:read', 'products:read']);
  const led = await openBrowser(app.send).submit('/store/login', { ...right, email: other.email });
  expect(led.headers.location).toBe('/admin/');
  const nobody = await member(app, ['audit:read']);
  const left = await openBrowser(app.send).submit('/store/login', { ...right, email: nobody.email });
  expect(left.headers.location).toBe('/admin/profile');
});
