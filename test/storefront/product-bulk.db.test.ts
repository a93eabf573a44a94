// What is done with many products at once, their export, brands and tags, and products that wait for their time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

type Made = Record<string, unknown> & {
  id: string;
  slug: string;
  title: string;
  variants: { id: string; sku: string; price_cents: number }[];
};
const product = async (fields: object = {}) =>
  (await client.data('/products', 'POST', mug(fields))) as unknown as Made;
const read = async (id: string) => (await client.data(`/products/${id}`)) as unknown as Made;
const bulk = (body: object) => client.send('/products/bulk', 'POST', body);
const open = (path: string) => openBrowser(app.send).open(path);
const shownIn = async (query: string) =>
  ((await app.get(`/api/shop/products?per_page=100&${query}`)).body.data as unknown as { id: string }[]).map(
    ({ id }) => id,
  );

it('many are published, tagged, moved, priced, archived and deleted; a refused one costs only itself', async () => {
  const [one, other] = [await product({ tags: ['Old'] }), await product()];
  const empty = (await client.data('/products', 'POST', {
    title: `Empty ${another()}`,
    type: 'physical',
  })) as unknown as Made;
  const ids = [one.id, other.id];
  const published = await bulk({ ids: [...ids, empty.id, 'pdt_no'], action: 'publish' });
  expect(published.body.data).toEqual({
    updated: 2,
    errors: [
      { id: empty.id, error_code: 'CONFLICT', message: expect.stringContaining('no variants') },
      { id: 'pdt_no', error_code: 'NOT_FOUND', message: expect.any(String) },
    ],
  });
  const tagged = await app.changesBy(() => bulk({ ids, action: 'tag', value: 'old' }));
  expect(tagged.result.body.data).toEqual({ updated: 2, errors: [] });
  // One of them has it already, in other case.
  expect(tagged.changes.events).toEqual(['product.updated']);
  expect([(await read(one.id)).tags, (await read(other.id)).tags]).toEqual([['Old'], ['old']]);
  await bulk({ ids, action: 'untag', value: 'OLD' });
  expect([(await read(one.id)).tags, (await read(other.id)).tags]).toEqual([[], []]);
  const category = await client.data('/categories', 'POST', { name: `Mugs ${another()}` });
  await bulk({ ids, action: 'set_category', value: category.id });
  expect((await read(one.id)).categories).toMatchObject([{ id: category.id }]);
  expect((await bulk({ ids, action: 'set_category', value: 'cat_no' })).body.data).toMatchObject({
    updated: 0,
  });
  expect((await bulk({ ids, action: 'price_percent', value: -12.5 })).body.data).toMatchObject({
    updated: 2,
  });
  expect((await read(one.id)).variants[0]?.price_cents).toBe(1663);
  expect(await shownIn(`category=${category.slug}`)).toEqual(expect.arrayContaining(ids));
  await bulk({ ids, action: 'archive' });
  expect((await read(one.id)).status).toBe('archived');
  expect((await bulk({ ids, action: 'delete' })).body.data).toEqual({ updated: 2, errors: [] });
  expect((await client.send(`/products/${one.id}`)).status).toBe(404);
});

it('a bulk run refuses what makes no sense', async () => {
  const { id } = await product();
  for (const body of [
    {},
    { ids: [id] },
    { ids: [], action: 'archive' },
    { ids: [id], action: 'explode' },
    { ids: [id], action: 'tag' },
    { ids: [id], action: 'tag', value: '' },
    { ids: [id], action: 'archive', value: 'x' },
    { ids: [id], action: 'price_percent', value: 'much' },
    { ids: [id], action: 'price_percent', value: 1.005 },
    { ids: Array.from({ length: 201 }, (_, at) => `pdt_${at}`), action: 'archive' },
  ])
    expect([JSON.stringify(body).slice(0, 60), (await bulk(body)).status]).toEqual([
      JSON.stringify(body).slice(0, 60),
      400,
    ]);
  const cheap = await bulk({ ids: [id], action: 'price_percent', value: -100.01 });
  expect(cheap.body.data).toMatchObject({ updated: 0, errors: [{ id, error_code: 'VALIDATION_ERROR' }] });
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send('/products/bulk', 'POST', { ids: [id], action: 'archive' })).status).toBe(403);
});

it('the panel does the same with a form', async () => {
  const made = await product();
  const sent = { action: 'pricePercent', ids: made.id, percent: '10' };
  const listed = await browser.open('/store/products');
  const asked = await browser.post('/store/products/bulk', { _csrf: tokenIn(listed.text), ...sent });
  expect(textOf(asked.text)).toContain('1 product');
  await browser.post('/store/products/bulk', { _csrf: tokenIn(asked.text), ...sent, sure: 'true' });
  expect((await read(made.id)).variants[0]?.price_cents).toBe(2090);
});

it('exports what the filters of the list leave, and defuses formulas', async () => {
  const brand = `Export ${another()}`;
  const one = await product({ brand, title: `=cmd|' /C calc'!A0 ${another()}` });
  await product();
  const { status, text } = await client.send(`/products/export.csv?brand=${encodeURIComponent(brand)}`);
  expect(status).toBe(200);
  const [header, ...lines] = text.trim().split('\r\n');
  expect(header?.split(',').slice(0, 4)).toEqual(['id', 'title', 'slug', 'status']);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(one.id);
  expect(lines[0]).toContain(`'=cmd`);
});

it('lists brands with their counts and renames one in all its products', async () => {
  const [from, to] = [`Acme ${another()}`, `Smith, Jones \\ Co ${another()}`];
  const [one, other] = [await product({ brand: from }), await product({ brand: from })];
  const brands = async (q: string) => (await client.send(`/brands?q=${encodeURIComponent(q)}`)).body.data;
  expect(await brands(from.toUpperCase())).toEqual([{ brand: from, count: 2 }]);
  const { result, changes } = await app.changesBy(() => client.data('/brands/rename', 'POST', { from, to }));
  expect([result, changes.events]).toEqual([{ updated: 2 }, ['product.updated', 'product.updated']]);
  expect(await brands(from)).toEqual([]);
  expect(await brands(to)).toEqual([{ brand: to, count: 2 }]);
  expect((await client.send('/brands/rename', 'POST', { from, to })).status).toBe(404);
  expect((await client.send('/brands/rename', 'POST', { from: to })).status).toBe(400);
  const page = await browser.open('/store/brands');
  expect(textOf(page.text)).toContain(to);
  const renamed = `O’Neill ${another()}`;
  expect((await browser.submit('/store/brands', { from: to, to: renamed })).status).toBe(303);
  expect([(await read(one.id)).brand, (await read(other.id)).brand]).toEqual([renamed, renamed]);
  expect((await browser.submit('/store/brands', { from: 'No such', to: 'x' })).status).toBe(400);
});

it('a brand with a comma can be chosen, alone and beside another one', async () => {
  const [comma, plain] = [`Smith, Jones ${another()}`, `Plain ${another()}`];
  const slash = `Back\\slash, ${another()}`;
  const all = [];
  for (const brand of [comma, plain, slash])
    all.push((await product({ brand, status: 'active' })) as unknown as Made);
  const [one, two, three] = all.map(({ id }) => id);
  const escaped = (brand: string) => brand.replaceAll(/[\\,]/g, '\\$&');
  const asked = (...brands: string[]) => `brand=${encodeURIComponent(brands.map(escaped).join(','))}`;
  expect(await shownIn(asked(comma))).toEqual([one]);
  expect((await shownIn(asked(comma, plain))).sort()).toEqual([one, two].sort());
  expect(await shownIn(asked(slash))).toEqual([three]);
  // As it was before: a comma separates.
  expect(await shownIn(`brand=${encodeURIComponent(comma)}`)).toEqual([]);
  const shop = await open(`/shop/products?${asked(comma)}`);
  expect(shop.text).toContain(`href="/shop/products/${all[0]?.slug}"`);
  expect(shop.text).not.toContain(`href="/shop/products/${all[1]?.slug}"`);
  // The boxes, the link that takes it away and the link on the product say it in the same way.
  expect(shop.text).toContain(`value="${escaped(comma)}" checked`);
  const two_ = await open(`/shop/products?${asked(comma)}&brand=${encodeURIComponent(plain)}`);
  expect(two_.text).toContain(
    `href="/shop/products?brand=${new URLSearchParams({ b: escaped(comma) }).toString().slice(2)}"`,
  );
  const page = await open(`/shop/products/${all[0]?.slug}`);
  expect(page.text).toContain(`href="/shop/products?brand=${encodeURIComponent(escaped(comma))}"`);
});

it('a product waits for its time without a write, and the panel says until when', async () => {
  const made = (await client.data(
    '/products',
    'POST',
    shirt({ title: `Soon ${another()}` }),
  )) as unknown as Made;
  const at = new Date(Date.parse(app.ctx.now()) + 3_600_000).toISOString();
  const published = await client.data(`/products/${made.id}/publish`, 'POST', { publish_at: at });
  expect(published).toMatchObject({ status: 'active', publish_at: at, scheduled_for: at });
  const isShown = async () => [
    (await app.get(`/api/shop/products/${made.slug}`)).status,
    (await open(`/shop/products/${made.slug}`)).status,
    (await shownIn('')).includes(made.id),
  ];
  expect(await isShown()).toEqual([404, 404, false]);
  const words = `Scheduled for ${at.slice(0, 16).replace('T', ' ')} UTC`;
  expect(textOf((await browser.open(`/store/products/${made.id}`)).text)).toContain(words);
  expect(textOf((await browser.open('/store/products')).text)).toContain(words);
  app.clock.advance(3600);
  expect(await isShown()).toEqual([200, 200, true]);
  expect((await read(made.id)).scheduled_for).toBeNull();
});
