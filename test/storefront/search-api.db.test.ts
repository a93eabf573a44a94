// The search of the shop for programs and as a page: corrections, suggestions, categories, and what belongs to a product.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  await client.data('/categories', 'POST', { name: 'Porcelain Teapots', slug: 'teapots' });
  for (const title of ['Porcelain Teapot Blue', 'Porcelain Teapot Green', 'Porcelain Teapot Red'])
    await sold(mug({ title }));
  await sold(mug({ title: 'Théière Émaillée' }));
});
afterAll(() => app.close());

/** Makes a product and shows it in the shop. */
async function sold(input: object): Promise<{ id: string; slug: string }> {
  const { id } = await client.data('/products', 'POST', input);
  await client.data(`/products/${id}/publish`, 'POST', {});
  const { slug } = await client.data(`/products/${id}`);
  return { id, slug: String(slug) };
}
interface Found {
  data: { title: string }[];
  pagination: { total: number; page: number };
  corrections: string[];
}
const get = (path: string) => app.send(path);
const search = async (query: string): Promise<Found> => {
  const { status, body } = await get(`/api/shop/search?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Found;
};

it('answers with pages of products, and with what may have been meant by whoever finds little', async () => {
  const found = await search('q=teapot&per_page=2&page=2');
  expect(found.data).toHaveLength(1);
  expect(found).toMatchObject({ pagination: { page: 2, total: 3, total_pages: 2 }, corrections: [] });
  const corrections: [string, string[]][] = [
    ['porcelian', ['porcelain']],
    ['porcelian teapot', ['porcelain teapot']],
    ['Porcelain teepot gren', ['Porcelain teapot green']],
    ['theirie', ['théière']],
    ['xqzptk', []],
    ['12345', []],
    ['te', []],
  ];
  for (const [q, expected] of corrections)
    expect([q, (await search(`q=${encodeURIComponent(q)}`)).corrections]).toEqual([q, expected]);
  for (const status of ['published', 'draft'])
    await client.data('/pages', 'POST', {
      title: `Care of Teapots, ${status}`,
      body_markdown: 'Rinse.',
      status,
    });
  expect(await search('q=teapots&type=pages')).toMatchObject({
    data: [{ title: 'Care of Teapots, published' }],
    pagination: { total: 1 },
    corrections: [],
  });
  expect((await search('q=%2A&type=pages')).data).toEqual([]);
});

it('a word that no product has any more is not proposed', async () => {
  const { id } = await sold(mug({ title: 'Chrysanthemum Pot' }));
  expect((await search('q=crysanthemum')).corrections).toEqual(['chrysanthemum']);
  const { version } = await client.data(`/products/${id}`);
  await client.data(`/products/${id}`, 'PATCH', { title: 'Plain Pot', version });
  expect((await search('q=crysanthemum')).corrections).toEqual([]);
});

it('suggests products and categories', async () => {
  const { status, body } = await get('/api/shop/search/suggest?q=porcelain%20te');
  expect(status).toBe(200);
  const { products, categories } = body.data as unknown as { products: object[]; categories: object[] };
  expect(products).toHaveLength(3);
  expect(categories).toEqual([expect.objectContaining({ name: 'Porcelain Teapots', slug: 'teapots' })]);
  for (const q of ['q=a', 'q=', '', `q=${'x'.repeat(201)}`, 'q=a%00b'])
    expect([q, (await get(`/api/shop/search/suggest?${q}`)).status]).toEqual([q, 400]);
});

it('refuses what is no search, and bears what is an odd one', async () => {
  const refused = ['', 'q=', 'q=a&page=0', 'q=a&page=-1', 'q=a&per_page=101', 'q=a&type=orders', 'q=%00'];
  for (const query of [...refused, `q=${'x'.repeat(10_000)}`])
    expect([query, (await get(`/api/shop/search?${query}`)).status]).toEqual([query, 400]);
  for (const q of ['%20%20', '"', 'AND', '*', '%F0%9F%98%80', '%ED%A0%80', 'title%3A', '%27%3B--', '%5C'])
    expect([q, (await search(`q=${q}`)).data]).toEqual([q, []]);
  expect((await search('q=teapot&page=1000000000')).data).toEqual([]);
});

it('counts how often an address searches', async () => {
  const limited = await startApp({ limits: 'on' });
  const ask = async (path: string, times: number): Promise<Set<number>> =>
    new Set(await Promise.all(Array.from({ length: times }, async () => (await limited.send(path)).status)));
  expect(await ask('/api/shop/search?q=teapot', 61)).toEqual(new Set([200, 429]));
  expect(await ask('/api/shop/search/suggest?q=teapot', 121)).toEqual(new Set([200, 429]));
  await limited.close();
});

it('shows variants of a product by their options, and what is shown beside it', async () => {
  const { id, slug } = await sold(shirt());
  const beside = await sold(mug({ title: 'Beside One' }));
  const draft = await client.data('/products', 'POST', mug());
  const items = [draft.id, beside.id].map((product_id) => ({ product_id, kind: 'related' }));
  await client.data(`/products/${id}/related`, 'PUT', { items });
  const variants = async (query: string) =>
    (
      (await get(`/api/shop/products/${slug}/variants?${query}`)).body.data as unknown as { title: string }[]
    ).map(({ title }) => title);
  expect(await variants('')).toHaveLength(4);
  expect(await variants('option.Color=red')).toEqual(['Red / M', 'Red / L']);
  expect(await variants('option.Color=Red,Blue&option.Size=L')).toEqual(['Red / L', 'Blue / L']);
  expect(await variants('option.No=1')).toEqual([]);
  const related = await get(`/api/shop/products/${slug}/related`);
  expect(related.body.data).toMatchObject([{ title: 'Beside One' }]);
  for (const limit of ['0', '13', '-1', 'x'])
    expect((await get(`/api/shop/products/${slug}/related?limit=${limit}`)).status).toBe(400);
  for (const part of ['variants', 'related'])
    expect((await get(`/api/shop/products/no-such/${part}`)).status).toBe(404);
});

it('indexes what was there before the index, and takes out what is no longer shown', async () => {
  const { id } = await sold(mug({ title: 'Older Obelisk' }));
  await app.ctx.tx(async ({ db: { knex } }) => {
    await knex('product_search').where({ product_id: id }).update({ version: 0 });
  });
  expect(await runJob(app.ctx, 'index-shop-products')).toEqual({ products: 1 });
  await app.ctx.tx(async ({ db: { knex } }) => {
    await knex('products').where({ id }).update({ status: 'archived' });
  });
  expect(await runJob(app.ctx, 'index-shop-products')).toEqual({ products: 1 });
  expect(await runJob(app.ctx, 'index-shop-products')).toEqual({ products: 0 });
  expect((await search('q=obelisk')).data).toEqual([]);
});

it('two that change products with the same words at once are both counted', async () => {
  const made = await Promise.all(
    Array.from(
      { length: 6 },
      async () => (await client.data('/products', 'POST', mug({ title: 'Twin Tulip' }))).id,
    ),
  );
  await Promise.all(made.map((id) => client.data(`/products/${id}/publish`, 'POST', {})));
  expect((await search('q=twin%20tulip')).pagination.total).toBe(6);
  const uses = await app.ctx.db.knex('product_search_words').where({ word: 'tulip' }).first('uses');
  expect(Number(uses.uses)).toBe(6);
});

it('the page shows the hits of the likeliest correction where nothing fits the words', async () => {
  for (const brand of ['Nord', 'Sud'])
    for (const number of Array.from({ length: 13 }).keys())
      await sold(mug({ title: `Marquetry ${number}`, brand }));
  const open = async (query: string) => (await openBrowser(app.send).open(`/shop/search?${query}`)).text;
  const told = 'No results for “marqeutry”. Showing results for “marquetry”.';
  const found = await open('q=marqeutry&lang=en');
  expect(found).toContain(`${told} 26 products`);
  expect(found).toContain('<h1>Results for “marquetry”</h1>');
  expect(found.match(/>Marquetry \d+</g)).toHaveLength(24);
  expect(found).toContain('<input type="hidden" name="q" value="marquetry">');
  expect(found).toContain('href="/shop/search?q=marquetry&amp;lang=en&amp;page=2"');
  expect(found).not.toContain('Check the spelling');
  const narrowed = await open('q=marqeutry&lang=en&brand=Sud&page=1');
  expect(narrowed).toContain(`${told} 13 products`);
  expect(await open('q=marqeutry&lang=en&page=2')).toContain('aria-current="page">2</a>');
  const emptied = await open('q=marqeutry&lang=en&brand=Ost');
  expect(emptied).toContain(`${told} 0 products`);
  expect(emptied).toContain('No products match these filters.');
  // A filter that leaves nothing of what fits the words does not make them misspelled.
  expect(await open('q=marquetry+nonesuch&lang=en&brand=Ost')).not.toContain('Showing results');
  expect(await open('q=marqeutry&lang=de')).toContain(
    'Zu „marqeutry“ passt nichts. Gezeigt werden Treffer für „marquetry“.',
  );
  expect(await search('q=marqeutry')).toMatchObject({ data: [], corrections: ['marquetry'] });
});

it('the page links what may have been meant, categories that fit, and where else to look', async () => {
  const open = async (q: string) => (await openBrowser(app.send).open(`/shop/search?q=${q}`)).text;
  await sold(mug({ title: 'Porcelains Guide' }));
  const few = await open('porcelains+gide');
  expect(few).toContain('<a href="/shop/search?q=porcelains+guide"><bdi>porcelains guide</bdi></a>');
  expect(await open('porcelain+teapots')).toContain('href="/shop/categories/teapots"><bdi>Porcelain Teapots');
  expect(await open('care')).toContain('<bdi>Care of Teapots, published</bdi>');
  const none = await open('xqzptk');
  expect(none).toContain('Popular pages');
  expect(none).toContain('href="/shop/products?sort=best_selling"');
  expect(await open('porcelain+nonesuch')).toContain('No products match all of your words');
  expect(await open('%3Cscript%3E')).not.toContain('<script>alert');
  expect((await openBrowser(app.send).open('/shop/search')).status).toBe(200);
});
