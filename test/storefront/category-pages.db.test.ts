// Categories in the panel: made, moved and filled by forms without a script; and as a filter of public lists.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

/** Makes a category by its form. @returns its path in the panel */
async function made(name: string, parentId = ''): Promise<string> {
  const sent = await browser.submit('/store/categories/new', { name, parentId });
  expect(sent.status).toBe(303);
  const { text } = await browser.open(`/store/categories?q=${encodeURIComponent(name)}`);
  return /href="(\/store\/categories\/cat_[^"/]*)"/.exec(text)?.[1] ?? '';
}

const product = (): Promise<{ id: string; slug?: unknown }> =>
  client.data('/products', 'POST', mug({ status: 'active' }));
const idOf = (path: string) => path.split('/').at(-1) ?? '';

it('makes a category under another one, and moves it to the top', async () => {
  const number = another();
  const above = await made(`Kitchen ${number}`);
  const below = await made(`Bowls ${number}`, idOf(above));
  const rows = rowsOf((await browser.open(`/store/categories?q=${number}`)).text).map((row) => row.join(' '));
  expect(rows.some((row) => row.includes(`/kitchen-${number}/bowls-${number}/`))).toBe(true);
  // What the form showed first is sent with it, as a browser does.
  const moved = { parentId: '', 'was.parentId': idOf(above) };
  expect((await browser.submit(`${below}/edit`, moved)).status).toBe(303);
  expect(textOf((await browser.open(below)).text)).toContain(`/bowls-${number}/`);
  expect((await client.data(`/categories/${idOf(below)}`)).parent_id).toBeNull();
});

it('holds the products that its form names, in their order, or says which do not exist', async () => {
  const category = await made(`Shelf ${another()}`);
  const [one, two] = [await product(), await product()];
  const path = `${category}/products`;
  const saved = await browser.submit(path, { products: `${two.slug}\r\n${one.slug}\r\n\r\n` });
  expect([saved.status, saved.headers.location]).toEqual([303, `${category}?tab=products#tabs`]);
  const ids = async () =>
    (await client.data(`/categories/${idOf(category)}/products`)).product_ids as string[];
  expect(await ids()).toEqual([two.id, one.id]);
  expect((await browser.open(`${category}?tab=products`)).text).toContain(
    `>${two.slug}\n${one.slug}</textarea>`,
  );
  const refused = await browser.submit(path, { products: `${one.slug}\nno-such-thing` });
  expect(refused.status).toBe(400);
  expect(textOf(refused.text)).toContain('These products do not exist: no-such-thing');
  expect(refused.text).toContain('no-such-thing</textarea>');
  expect(await ids()).toEqual([two.id, one.id]);
});

it('narrows the public list of products, those of categories under it included', async () => {
  const above = await client.data('/categories', 'POST', { name: `Above ${another()}` });
  const below = await client.data('/categories', 'POST', { name: `Below ${another()}`, parent_id: above.id });
  const [inside, outside] = [await product(), await product()];
  await client.send(`/categories/${below.id}/products`, 'PUT', { product_ids: [inside.id] });
  const found = async (slug: string) => {
    const { status, body } = await app.get(`/api/shop/products?category=${slug}`);
    return [status, (body.data as unknown as { id: string }[] | undefined)?.map(({ id }) => id)];
  };
  expect(await found(String(above.slug))).toEqual([200, [inside.id]]);
  expect(await found(String(below.slug))).toEqual([200, [inside.id]]);
  expect(outside.id).not.toBe(inside.id);
  expect((await found('no-such-category'))[0]).toBe(400);
});

it('leads to a product through its category that is furthest from the top', async () => {
  const above = await client.data('/categories', 'POST', { name: `Above ${another()}` });
  const below = await client.data('/categories', 'POST', { name: `Below ${another()}`, parent_id: above.id });
  const trailOf = async (category_ids: string[]) => {
    const { slug } = await client.data('/products', 'POST', mug({ status: 'active', category_ids }));
    const { text } = await browser.open(`/shop/products/${slug}?lang=en`);
    const crumbs = /<nav class="crumbs"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
    return [...crumbs.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  };
  const through = ['/shop/', `/shop/categories/${above.slug}`, `/shop/categories/${below.slug}`];
  expect(await trailOf([above.id, below.id])).toEqual(through);
  expect(await trailOf([])).toEqual(['/shop/', '/shop/products']);
});
