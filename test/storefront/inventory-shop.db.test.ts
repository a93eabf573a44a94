// What shoppers see of stock: in lists, on the page of a product, in what programs read; never older than the request.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

type Made = Record<string, unknown> & { id: string; slug: string; variants: { id: string; sku: string }[] };
const product = async (stock?: number, fields: object = {}) =>
  (await client.data(
    '/products',
    'POST',
    mug({ status: 'active', variants: [{ sku: `S-${another()}`, price_cents: 500, stock }], ...fields }),
  )) as unknown as Made;
const setTo = (id: string | undefined, set_to: number) =>
  client.data(`/inventory/${id}/adjust`, 'POST', { set_to, reason: 'count' });
const shown = async ({ slug }: { slug: unknown }) => {
  const { body, headers } = await app.get(`/api/shop/products/${slug}`);
  const data = body.data as unknown as Made & { in_stock: boolean; badges: string[] };
  return { ...data, etag: headers.etag };
};
const page = async (path: string) => (await openBrowser(app.send).open(path)).text;
const catalogOf = async (): Promise<number> => {
  const row: { value: number } = await app.instance.database.db
    .knex('counters')
    .where({ name: 'shop_catalog' })
    .first();
  return Number(row.value);
};

it('tells programs what is available at this moment, without raising the counter of the catalogue', async () => {
  const made = await product(8);
  const before = await shown(made);
  expect(before.variants[0]).toMatchObject({ available: 8, in_stock: true, backorder: false });
  expect([before.in_stock, before.badges]).toEqual([true, []]);
  const counter = await catalogOf();
  await setTo(made.variants[0]?.id, 7);
  const after = await shown(made);
  expect(after.variants[0]).toMatchObject({ available: 7 });
  expect(after.etag).not.toBe(before.etag);
  await setTo(made.variants[0]?.id, 2);
  expect(await shown(made)).toMatchObject({ in_stock: true, badges: ['low_stock'] });
  await setTo(made.variants[0]?.id, 0);
  expect(await shown(made)).toMatchObject({
    in_stock: false,
    badges: [],
    variants: [{ available: 0, in_stock: false }],
  });
  await client.data(`/inventory/${made.variants[0]?.id}`, 'PATCH', { allow_backorder: true });
  expect(await shown(made)).toMatchObject({
    in_stock: true,
    variants: [{ available: 0, in_stock: true, backorder: true }],
  });
  expect(await catalogOf()).toBe(counter);
  expect((await shown(await product())).variants[0]).toMatchObject({ available: null, in_stock: true });
});

it('narrows lists to what can be bought, and counts it as a facet', async () => {
  const tag = `stock${another()}`;
  const [full, none] = [await product(9, { tags: [tag] }), await product(0, { tags: [tag] })];
  const list = async (query: string) => {
    const { body } = await app.get(`/api/shop/products?tag=${tag}&${query}`);
    const cards = body.data as unknown as { id: string; in_stock: boolean }[];
    return { ids: cards.map(({ id }) => id).sort(), facets: body.facets as unknown as { in_stock: number } };
  };
  expect(await list('')).toMatchObject({ ids: [full.id, none.id].sort(), facets: { in_stock: 1 } });
  expect((await list('in_stock=1')).ids).toEqual([full.id]);
  await setTo(none.variants[0]?.id, 1);
  expect(await list('in_stock=true')).toMatchObject({
    ids: [full.id, none.id].sort(),
    facets: { in_stock: 2 },
  });
  expect((await app.get(`/api/shop/products?in_stock=maybe`)).status).toBe(400);
  await setTo(full.variants[0]?.id, 0);
  const html = textOf(await page(`/shop/products?tag=${tag}`));
  expect(html).toContain('Availability In stock (1)');
  expect(html).toContain('Sold out');
  expect(html).toContain('Only a few left');
  expect(textOf(await page(`/shop/products?tag=${tag}&in_stock=1`))).not.toContain('Sold out');
});

it('says on the page of a product how many are left, whatever is kept of the page', async () => {
  const made = await product(9);
  const path = `/shop/products/${made.slug}`;
  const text = async () => textOf(await page(path));
  expect(await text()).toContain('In stock');
  await setTo(made.variants[0]?.id, 3);
  expect(await text()).toContain('Only 3 left');
  await setTo(made.variants[0]?.id, 2);
  expect(await text()).toContain('Only 2 left');
  await setTo(made.variants[0]?.id, 0);
  expect(await text()).toContain('Sold out');
  expect(await page(path)).toContain('https://schema.org/OutOfStock');
  await client.data(`/inventory/${made.variants[0]?.id}`, 'PATCH', { allow_backorder: true });
  expect(await text()).toContain('Available on backorder');
  expect(await page(path)).toContain('https://schema.org/BackOrder');
  expect(await page('/shop/feed.xml')).toContain(`<g:id>${made.id}</g:id>`);
});

it('marks choices that are sold out with text', async () => {
  const made = (await client.data('/products', 'POST', shirt({ status: 'active' }))) as unknown as Made;
  const red = made.variants[0];
  await client.data(`/inventory/${red?.id}`, 'PATCH', { track_inventory: true });
  const html = textOf(await page(`/shop/products/${made.slug}?option.Color=Blue&option.Size=M`));
  expect(html).toContain('Red (Sold out)');
  expect(html).not.toContain('Blue (Sold out)');
  // A variant that goes takes its stock along.
  await client.send(`/variants/${red?.id}`, 'DELETE');
  expect(textOf(await page(`/shop/products/${made.slug}?option.Color=Blue&option.Size=M`))).toContain(
    'Red (not available)',
  );
});
