// Categories of the shop: a tree that staff make, change, move and remove by JSON (storefront-api.md T).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as categories from '#storefront/catalog/categories/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const make = (fields: object = {}) =>
  client.data('/categories', 'POST', { name: `Category ${another()}`, ...fields });
/** Categories, each under the one before it. */
async function chain(length: number, parent: string | null = null) {
  const made: Awaited<ReturnType<typeof make>>[] = [];
  for (let level = 0; level < length; level++)
    made.push(await make({ parent_id: made.at(-1)?.id ?? parent }));
  return made;
}
const pathOf = async (id: string) => (await client.data(`/categories/${id}`)).path;
const move = (id: string, parent: string | null) =>
  client.send(`/categories/${id}`, 'PATCH', { parent_id: parent });

it('is made with a slug of its name, shown as it was made, and stands in the tree', async () => {
  const clothes = await make({ name: 'Crème & Clothes', description: 'To wear', seo_title: 'Wear it' });
  expect(clothes).toMatchObject({
    id: expect.stringMatching(/^cat_/),
    parent_id: null,
    slug: 'creme-clothes',
    path: '/creme-clothes/',
    description: 'To wear',
    seo: { title: 'Wear it', description: null },
  });
  expect(await client.data(`/categories/${clothes.id}`)).toEqual(clothes);
  const shirts = await make({ parent_id: clothes.id });
  const shoes = await make({ parent_id: clothes.id });
  expect([shirts.position, shoes.position]).toEqual([0, 1]);
  await client.data(`/categories/${shirts.id}`, 'PATCH', { position: 2 });
  const tree = (await client.data('/categories')) as unknown as {
    id: string;
    children: { id: string; children: unknown[] }[];
  }[];
  expect(
    tree.find(({ id }) => id === clothes.id)?.children.map(({ id, children }) => [id, children]),
  ).toEqual([
    [shoes.id, []],
    [shirts.id, []],
  ]);
  const flat = (await client.data('/categories?flat=true')) as unknown as {
    id: string;
    children: object[];
  }[];
  const at = flat.findIndex(({ id }) => id === clothes.id);
  expect(flat.slice(at, at + 3).map(({ id, children }) => [id, children])).toEqual([
    [clothes.id, []],
    [shoes.id, []],
    [shirts.id, []],
  ]);
  expect((await client.send('/categories?flat=maybe')).status).toBe(400);
  expect((await make({ name: 'Crème & Clothes' })).slug).toBe('creme-clothes-2');
  expect(await client.refusal('/categories', 'POST', { name: 'Other', slug: 'creme-clothes' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
});

it('what is under a category follows it, to another place and to another slug', async () => {
  const [a, b, c] = await chain(3);
  const [other] = await chain(1);
  expect((await move(b?.id ?? '', other?.id ?? '')).status).toBe(200);
  expect(await pathOf(c?.id ?? '')).toBe(`/${other?.slug}/${b?.slug}/${c?.slug}/`);
  await client.data(`/categories/${other?.id}`, 'PATCH', { slug: `renamed-${other?.slug}` });
  expect(await pathOf(c?.id ?? '')).toBe(`/renamed-${other?.slug}/${b?.slug}/${c?.slug}/`);
  expect((await move(b?.id ?? '', null)).status).toBe(200);
  expect([await pathOf(a?.id ?? ''), await pathOf(c?.id ?? '')]).toEqual([
    `/${a?.slug}/`,
    `/${b?.slug}/${c?.slug}/`,
  ]);
});

it('none stands under itself, under what is under it, under an unknown one or below level 8', async () => {
  const levels = await chain(8);
  const [top, , third] = levels;
  for (const parent of [top?.id, third?.id, 'cat_00000000000000000000000000'])
    expect((await move(top?.id ?? '', parent ?? '')).status).toBe(400);
  const { status, body } = await client.send('/categories', 'POST', {
    name: 'Too deep',
    parent_id: levels[7]?.id,
  });
  expect([status, body.error]).toEqual([
    400,
    'parent_id: is below level 8, the deepest; choose one further up',
  ]);
  const [pair] = await chain(2);
  expect((await move(pair?.id ?? '', levels[6]?.id ?? '')).status).toBe(400);
  expect((await move(pair?.id ?? '', levels[5]?.id ?? '')).status).toBe(200);
});

it('two moves at once make no circle', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, other] = [(await make()).id, (await make()).id];
    const answers = await Promise.all([move(one, other), move(other, one)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
});

it('what is under a removed category moves to where it was', async () => {
  const [a, b, c, d] = await chain(4);
  expect(await client.data(`/categories/${b?.id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await client.data(`/categories/${c?.id}`)).toMatchObject({
    parent_id: a?.id,
    path: `/${a?.slug}/${c?.slug}/`,
  });
  expect(await pathOf(d?.id ?? '')).toBe(`/${a?.slug}/${c?.slug}/${d?.slug}/`);
  await client.data(`/categories/${a?.id}`, 'DELETE');
  expect([await pathOf(c?.id ?? ''), await pathOf(d?.id ?? '')]).toEqual([
    `/${c?.slug}/`,
    `/${c?.slug}/${d?.slug}/`,
  ]);
  expect(await client.refusal(`/categories/${a?.id}`, 'DELETE')).toEqual([404, 'NOT_FOUND', undefined]);
});

it('the shop finds one by its slug, with what it is under and what is under it', async () => {
  const [a, b, c] = await chain(3);
  const d = await make({ parent_id: b?.id });
  const found = await categories.shownCategory(app.ctx, b?.slug as string);
  expect(found?.breadcrumbs.map(({ id }) => id)).toEqual([a?.id]);
  expect(found?.children.map(({ id }) => id)).toEqual([c?.id, d.id]);
  expect(await categories.shownCategory(app.ctx, 'nothing-here')).toBeNull();
});

const goods = async (title: string): Promise<string> => {
  const made = await client.data('/products', 'POST', mug({ title }));
  await client.data(`/products/${made.id}/publish`, 'POST', {});
  return made.id;
};
const titles = async (path: string): Promise<string[]> =>
  [...(await app.send(path)).text.matchAll(/<span class="title">([^<]*)<\/span>/g)].map(
    ([, title = '']) => title,
  );

it('holds products in an order of its own; its page shows those of what is under it, too', async () => {
  const [top, below] = [
    await make({ name: 'Table', description: 'What stands on it' }),
    await make({ name: 'Cups' }),
  ];
  await client.data(`/categories/${below.id}`, 'PATCH', { parent_id: top.id });
  const [one, other] = [await goods('Table Cloth'), await goods('Blue Cup')];
  const put = (id: string, ids: unknown) =>
    client.send(`/categories/${id}/products`, 'PUT', { product_ids: ids });
  expect((await put(top.id, [one])).body).toMatchObject({ data: { count: 1 } });
  await put(below.id, [other, one]);
  expect(await client.data(`/categories/${below.id}/products`)).toEqual({ product_ids: [other, one] });
  expect(await titles('/shop/categories/table?sort=name')).toEqual(['Blue Cup', 'Table Cloth']);
  const page = (await app.send('/shop/categories/cups')).text;
  expect(page).toContain('<a href="/shop/categories/table">Table</a>');
  expect((await app.send('/shop/categories/table')).text).toContain('What stands on it');
  const shown = await app.send('/api/shop/categories/cups');
  expect(shown.body.data).toMatchObject({
    breadcrumbs: [{ name: 'Table', slug: 'table' }],
    product_count: 2,
  });
  const tree = (await app.send('/api/shop/categories')).body.data as unknown as {
    slug: string;
    children: object[];
  }[];
  expect(tree.find(({ slug }) => slug === 'table')?.children).toMatchObject([{ slug: 'cups', children: [] }]);
  expect((await app.send('/shop/sitemaps/pages.xml')).text).toContain('/shop/categories/cups');
  // A product that goes leaves its categories; a category that goes leaves its products.
  expect((await client.send(`/products/${other}`, 'DELETE', {})).status).toBe(200);
  expect(await client.data(`/categories/${below.id}/products`)).toEqual({ product_ids: [one] });
  expect((await client.send(`/categories/${below.id}`, 'DELETE')).status).toBe(200);
  expect((await app.send('/shop/categories/cups')).status).toBe(404);
  expect(await titles('/shop/categories/table')).toEqual(['Table Cloth']);
});

it.each([
  ['no list', undefined, 'VALIDATION_MISSING_FIELD'],
  ['a text', 'pdt_1', 'VALIDATION_ERROR'],
  ['an unknown product', ['pdt_1'], 'VALIDATION_ERROR'],
  ['numbers', [1], 'VALIDATION_ERROR'],
])('takes no products that are %s', async (_what, product_ids, code) => {
  const { id } = await make();
  const refused = await client.send(`/categories/${id}/products`, 'PUT', { product_ids });
  expect([refused.status, refused.body.error_code]).toEqual([400, code]);
  expect((await client.send('/categories/cat_no/products', 'PUT', { product_ids: [] })).status).toBe(404);
  for (const slug of ['no-such', '%00', '..%2f', 'a'.repeat(300)])
    expect((await app.send(`/shop/categories/${slug}`)).status).toBe(404);
});

it('a product named twice is refused, and nothing changes', async () => {
  const { id } = await make();
  const product = await goods('Twice');
  const refused = await client.send(`/categories/${id}/products`, 'PUT', { product_ids: [product, product] });
  expect(refused.status).toBe(400);
  expect(await client.data(`/categories/${id}/products`)).toEqual({ product_ids: [] });
});
