// Categories of the shop: a tree that staff make, change, move and remove by JSON (storefront-api.md T).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as categories from '#storefront/catalog/categories/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { another, storeClient } from './store-client.ts';

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
    'parent_id: leads below level 8, the deepest; choose one further up',
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
  const found = await categories.bySlug(app.ctx, b?.slug as string);
  expect(found?.breadcrumbs.map(({ id }) => id)).toEqual([a?.id]);
  expect(found?.children.map(({ id }) => id)).toEqual([c?.id, d.id]);
  expect(await categories.bySlug(app.ctx, 'nothing-here')).toBeNull();
});
