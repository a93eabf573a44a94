// Collections of the shop: filled by hand or by rules, by JSON and in the panel, and as shoppers see them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
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

const product = (fields: object = {}) =>
  client.data('/products', 'POST', mug({ status: 'active', ...fields }));
const collection = (fields: object) =>
  client.data('/collections', 'POST', { title: `Collection ${another()}`, kind: 'rule', ...fields });
const open = (path: string) => openBrowser(app.send).open(path);
const priced = (cents: number, before?: number) => ({
  variants: [{ sku: `C-${another()}`, price_cents: cents, compare_at_cents: before ?? null }],
});
const shownIn = async (slug: unknown, more = '') => {
  const { status, body } = await app.get(`/api/shop/products?collection=${slug}${more}`);
  expect(status).toBe(200);
  return (body.data as unknown as { id: string }[]).map(({ id }) => id);
};

it('is made with a slug of its title, changed and removed, and tells each of it once', async () => {
  const made = await collection({ title: 'Été & Summer', rules: [{ field: 'tag', op: 'is', value: 'sun' }] });
  expect(made).toMatchObject({
    id: expect.stringMatching(/^col_/),
    slug: 'ete-summer',
    kind: 'rule',
    match: 'all',
    sort: 'newest',
    rules: [{ field: 'tag', op: 'is', value: 'sun' }],
  });
  expect((await collection({ title: 'Été & Summer' })).slug).toBe('ete-summer-2');
  expect(
    await client.refusal('/collections', 'POST', { title: 'Other', kind: 'manual', slug: 'ete-summer' }),
  ).toEqual([400, 'VALIDATION_ERROR', 'DUPLICATE']);
  const changed = await client.data(`/collections/${made.id}`, 'PATCH', { description: 'For the beach' });
  expect(changed).toMatchObject({ ...made, description: 'For the beach', updated_at: expect.any(String) });
  expect((await client.send(`/collections/${made.id}`, 'DELETE')).status).toBe(200);
  expect((await client.send(`/collections/${made.id}`)).status).toBe(404);
});

it('shows what was put there by hand, in that order, and takes it from a product too', async () => {
  const [one, two, three, draft] = [
    await product(),
    await product(),
    await product(),
    await product({ status: 'draft' }),
  ];
  const made = await collection({ kind: 'manual' });
  const put = (ids: unknown[]) =>
    client.send(`/collections/${made.id}/products`, 'PUT', { product_ids: ids });
  expect((await put([three.id, one.id, draft.id])).body.data).toEqual({ count: 3 });
  expect(await shownIn(made.slug)).toEqual([three.id, one.id]);
  expect(await shownIn(made.slug, '&sort=newest')).toHaveLength(2);
  const changed = await client.data(`/products/${two.id}`, 'PATCH', { collection_ids: [made.id] });
  expect(changed.collections).toEqual([{ id: made.id, name: made.title, slug: made.slug }]);
  expect(await shownIn(made.slug)).toEqual([three.id, one.id, two.id]);
  await client.data(`/products/${three.id}`, 'PATCH', { collection_ids: [] });
  expect(await shownIn(made.slug)).toEqual([one.id, two.id]);
  expect((await put([one.id, one.id])).status).toBe(400);
  expect((await put(['pdt_00000000000000000000000000'])).status).toBe(400);
  // What is deleted leaves it.
  await client.send(`/products/${one.id}`, 'DELETE');
  expect(await shownIn(made.slug)).toEqual([two.id]);
});

it('holds what its rules say, from the moment on that a product changes', async () => {
  const tag = `sun-${another()}`;
  const cheap = await product({ ...priced(900), tags: [tag] });
  const dear = await product({ ...priced(5000), tags: [tag], brand: 'Acme' });
  const reduced = await product({ ...priced(2000, 2500), tags: [tag], brand: 'ACME Tools' });
  const members = async (rules: object[], match = 'all') => {
    const { body } = await client.send(`/collections/${(await collection({})).id}/preview`, 'POST', {
      rules: [...rules, ...(match === 'all' ? [{ field: 'tag', op: 'is', value: tag.toUpperCase() }] : [])],
      match,
    });
    const known = new Map([
      [cheap.id, 'cheap'],
      [dear.id, 'dear'],
      [reduced.id, 'reduced'],
    ]);
    return (body.data as unknown as { id: string }[]).flatMap(({ id }) => known.get(id) ?? []).sort();
  };
  expect(await members([])).toEqual(['cheap', 'dear', 'reduced']);
  expect(await members([{ field: 'price_cents', op: 'less_than', value: 2000 }])).toEqual(['cheap']);
  expect(await members([{ field: 'price_cents', op: 'greater_than', value: '1999' }])).toEqual([
    'dear',
    'reduced',
  ]);
  expect(await members([{ field: 'price_cents', op: 'is', value: 5000 }])).toEqual(['dear']);
  expect(await members([{ field: 'on_sale', op: 'is', value: true }])).toEqual(['reduced']);
  expect(await members([{ field: 'on_sale', op: 'is', value: 'false' }])).toEqual(['cheap', 'dear']);
  expect(await members([{ field: 'brand', op: 'is', value: 'acme' }])).toEqual(['dear']);
  expect(await members([{ field: 'brand', op: 'is_not', value: 'acme' }])).toEqual(['cheap', 'reduced']);
  expect(await members([{ field: 'brand', op: 'starts_with', value: 'acme' }])).toEqual(['dear', 'reduced']);
  expect(await members([{ field: 'title', op: 'contains', value: '100%' }])).toEqual([]);
  expect(await members([{ field: 'type', op: 'is', value: 'digital' }])).toEqual([]);
  expect(
    await members(
      [
        { field: 'price_cents', op: 'less_than', value: 1000 },
        { field: 'brand', op: 'is', value: 'Acme' },
      ],
      'any',
    ),
  ).toEqual(expect.arrayContaining(['cheap', 'dear']));
  const made = await collection({
    rules: [
      { field: 'tag', op: 'is', value: tag },
      { field: 'price_cents', op: 'less_than', value: 1000 },
    ],
    sort: 'price_asc',
  });
  expect(await shownIn(made.slug)).toEqual([cheap.id]);
  const [variant] = dear.variants as { id: string }[];
  await client.data(`/variants/${variant?.id}`, 'PATCH', { price_cents: 500 });
  expect(await shownIn(made.slug)).toEqual([dear.id, cheap.id]);
  await client.data(`/products/${cheap.id}`, 'PATCH', { status: 'draft' });
  expect(await shownIn(made.slug)).toEqual([dear.id]);
});

it('follows a category by its slug, with all that is under it', async () => {
  const above = await client.data('/categories', 'POST', { name: `Above ${another()}` });
  const below = await client.data('/categories', 'POST', { name: `Below ${another()}`, parent_id: above.id });
  const inside = await product({ category_ids: [below.id] });
  expect(inside.categories).toEqual([{ id: below.id, name: below.name, slug: below.slug }]);
  const made = await collection({ rules: [{ field: 'category', op: 'is', value: above.slug }] });
  expect(made.rules).toEqual([{ field: 'category', op: 'is', value: above.id }]);
  expect(await shownIn(made.slug)).toEqual([inside.id]);
  expect(await shownIn(made.slug, `&category=${below.slug}`)).toEqual([inside.id]);
  const listed = await client.send(`/products?category_id=${above.id}`);
  expect((listed.body.data as unknown as { id: string }[]).map(({ id }) => id)).toEqual([inside.id]);
  expect((await client.send('/products', 'POST', mug({ category_ids: ['cat_no'] }))).status).toBe(400);
});

it('refuses rules that say nothing, and products where rules choose', async () => {
  const refused = async (rules: object[], more: object = {}) => {
    const { status, body } = await client.send('/collections', 'POST', {
      title: 'Bad',
      kind: 'rule',
      rules,
      ...more,
    });
    return [
      status,
      (body.details as unknown as { fields?: { field: string }[] } | undefined)?.fields?.[0]?.field,
    ];
  };
  const rule = (field: string, op: string, value: unknown) => [{ field, op, value }];
  expect(await refused(rule('colour', 'is', 'red'))).toEqual([400, 'rules.0.field']);
  expect(await refused(rule('on_sale', 'contains', 'true'))).toEqual([400, 'rules.0.op']);
  expect(await refused(rule('on_sale', 'is', 'maybe'))).toEqual([400, 'rules.0.value']);
  expect(await refused(rule('price_cents', 'less_than', '12.50'))).toEqual([400, 'rules.0.value']);
  expect(await refused(rule('type', 'is', 'car'))).toEqual([400, 'rules.0.value']);
  expect(await refused(rule('category', 'is', 'no-such'))).toEqual([400, 'rules.0.value']);
  expect(await refused(rule('tag', 'is', 'a'), { kind: 'manual' })).toEqual([400, 'rules']);
  expect(await refused([], { sort: 'manual' })).toEqual([400, 'sort']);
  expect(await refused(Array.from({ length: 21 }, () => rule('tag', 'is', 'a')[0] as object))).toEqual([
    400,
    'rules',
  ]);
  const made = await collection({ rules: rule('tag', 'is', "o'brien; drop table products") });
  expect(await shownIn(made.slug)).toEqual([]);
  expect(await client.refusal(`/collections/${made.id}/products`, 'PUT', { product_ids: [] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  const { id } = await product();
  expect((await client.send(`/products/${id}`, 'PATCH', { collection_ids: [made.id] })).status).toBe(400);
  expect((await app.get('/api/shop/products?collection=no-such')).status).toBe(400);
});

it('has a page in the shop, stands in the list of collections and in the sitemap', async () => {
  const tag = `shown-${another()}`;
  const one = await product({ tags: [tag] });
  const made = await collection({
    title: `Linen & <Light> ${another()}`,
    description: 'Cool in summer',
    rules: [{ field: 'tag', op: 'is', value: tag }],
  });
  const page = await open(`/shop/collections/${made.slug}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Cool in summer');
  expect(page.text).toContain('&lt;Light&gt;');
  expect(page.text).toContain(`href="/shop/products/${one.slug}"`);
  expect((await open('/shop/collections')).text).toContain(`/shop/collections/${made.slug}`);
  expect((await open('/shop/sitemaps/pages.xml')).text).toContain(`/shop/collections/${made.slug}`);
  const listed = await app.get('/api/shop/collections?per_page=100');
  expect((listed.body.data as unknown as { slug: string }[]).map(({ slug }) => slug)).toContain(made.slug);
  const found = await app.get(`/api/shop/collections/${made.slug}`);
  expect(found.body.data).toEqual({
    id: made.id,
    title: made.title,
    slug: made.slug,
    description: 'Cool in summer',
    sort: 'newest',
    seo: { title: null, description: null },
    image: null,
  });
  expect((await app.get('/api/shop/collections/no-such')).status).toBe(404);
  expect((await app.get('/api/shop/collections?page=0')).status).toBe(400);
  expect((await open('/shop/collections/no-such')).status).toBe(404);
});

it('is filled in the panel: by addresses, or by rules that are tried before they are saved', async () => {
  const tag = `tried-${another()}`;
  const one = await product({ tags: [tag] });
  const hand = await collection({ kind: 'manual' });
  const saved = await browser.submit(`/store/collections/${hand.id}/products`, { products: `${one.slug}\n` });
  expect(saved.status).toBe(303);
  expect((await client.data(`/collections/${hand.id}/products`)).product_ids).toEqual([one.id]);

  const ruled = await collection({});
  const path = `/store/collections/${ruled.id}/rules`;
  const rules = { match: 'all', field: 'tag', op: 'is', value: tag };
  const tried = await browser.submit(path, { ...rules, do: 'try' });
  expect(textOf(tried.text)).toContain('1 product matches these rules');
  expect((await client.data(`/collections/${ruled.id}`)).rules).toEqual([]);
  const refused = await browser.submit(path, { ...rules, field: 'price_cents', do: 'save' });
  expect([refused.status, textOf(refused.text)]).toEqual([
    400,
    expect.stringMatching(/Rule 1, value: “tried-\d+” is not an amount; enter it as 19\.00/),
  ]);
  expect((await browser.submit(path, { ...rules, do: 'save' })).status).toBe(303);
  expect((await client.data(`/collections/${ruled.id}`)).rules).toEqual([
    { field: 'tag', op: 'is', value: tag },
  ]);
  expect(textOf((await browser.open(`/store/collections/${ruled.id}?tab=rules`)).text)).toContain(
    '1 product matches',
  );
});

it('has prices in its rules as people write them, in the currency of the shop', async () => {
  const ruled = await collection({});
  const path = `/store/collections/${ruled.id}/rules`;
  const rule = { match: 'all', field: 'price_cents', op: 'less_than', value: '12,50' };
  expect((await browser.submit(path, { ...rule, do: 'try' })).text).toContain('value="12,50"');
  expect((await browser.submit(path, { ...rule, do: 'save' })).status).toBe(303);
  expect((await client.data(`/collections/${ruled.id}`)).rules).toEqual([
    { field: 'price_cents', op: 'less_than', value: '1250' },
  ]);
  const { text } = await browser.open(`/store/collections/${ruled.id}?tab=rules`);
  expect(text).toContain('value="12.50"');
  expect(textOf(text)).toContain('Lowest price (USD)');
});

it('takes several rules from the form, as a browser sends its rows', async () => {
  const ruled = await collection({});
  const path = `/store/collections/${ruled.id}/rules`;
  const _csrf = tokenIn((await browser.open(path)).text);
  const body = new URLSearchParams({ _csrf, match: 'any', do: 'save' });
  for (const [field = '', op = '', value = ''] of [
    ['tag', 'is', 'one'],
    ['title', 'contains', 'two'],
    ['', 'is', ''],
  ])
    for (const [name, text] of Object.entries({ field, op, value })) body.append(name, text);
  const cookie = [...browser.cookies].map(([name, text]) => `${name}=${text}`).join('; ');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookie };
  const sent = await app.send(path, { method: 'POST', body: body.toString(), headers });
  expect(sent.status).toBe(303);
  expect((await client.data(`/collections/${ruled.id}`)).rules).toEqual([
    { field: 'tag', op: 'is', value: 'one' },
    { field: 'title', op: 'contains', value: 'two' },
  ]);
});

it('lists the tags in use', async () => {
  const tag = `Unusual ${another()}`;
  await product({ tags: [tag] });
  await product({ tags: [tag.toLowerCase()] });
  expect((await client.send(`/tags?q=${encodeURIComponent(tag.toUpperCase())}`)).body.data).toEqual([
    { tag: expect.stringMatching(/^unusual/i), count: 2 },
  ]);
});
