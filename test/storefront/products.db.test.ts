// Products of the shop by JSON: made in one call, listed, changed, published, archived and deleted (storefront-api.md S).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const slugs = async (query: string): Promise<string[]> =>
  ((await client.data(`/products?${query}`)) as unknown as { slug: string }[]).map(({ slug }) => slug);

it('is made with its options and variants in one call, and shown as it was made', async () => {
  const { result, changes } = await app.changesBy(() =>
    client.send('/products', 'POST', shirt({ title: 'Crème T-Shirt', tags: ['New', 'new', 'cotton'] })),
  );
  expect([result.status, changes.events]).toEqual([201, ['product.created']]);
  const made = result.body.data as Record<string, unknown>;
  expect(made).toMatchObject({
    id: expect.stringMatching(/^pdt_/),
    title: 'Crème T-Shirt',
    slug: 'creme-t-shirt',
    status: 'draft',
    type: 'physical',
    price_cents: 2000,
    price_max_cents: 2200,
    currency: 'USD',
    tags: ['cotton', 'New'],
    version: 1,
    min_quantity: 1,
    max_quantity: null,
    rating: null,
    review_count: 0,
  });
  const options = made.options as { name: string; values: { value: string }[] }[];
  expect(options.map(({ name, values }) => [name, ...values.map(({ value }) => value)])).toEqual([
    ['Color', 'Red', 'Blue'],
    ['Size', 'M', 'L'],
  ]);
  const variants = made.variants as Record<string, unknown>[];
  expect(variants.map(({ title, is_default, price_cents }) => [title, is_default, price_cents])).toEqual([
    ['Red / M', true, 2000],
    ['Red / L', false, 2200],
    ['Blue / M', false, 2000],
    ['Blue / L', false, 2200],
  ]);
  expect(variants[2]?.option_values).toEqual({ Color: 'Blue', Size: 'M' });
  expect(await client.data(`/products/${made.id}`)).toEqual(made);
});

it.each([
  ['no title', { title: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['no type', { type: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['an unknown type', { type: 'car' }, 'VALIDATION_ERROR'],
  ['a slug that is none', { slug: 'No Slug' }, 'VALIDATION_ERROR'],
  ['a largest quantity below the smallest', { min_quantity: 3, max_quantity: 2 }, 'VALIDATION_ERROR'],
  ['a variant without a price', { variants: [{ sku: 'x' }] }, 'VALIDATION_MISSING_FIELD'],
  ['a fraction of a cent', { variants: [{ sku: 'x', price_cents: 1.5 }] }, 'VALIDATION_ERROR'],
  ['a negative price', { variants: [{ sku: 'x', price_cents: -1 }] }, 'VALIDATION_ERROR'],
  [
    'two variants without options',
    { variants: ['a1', 'a2'].map((sku) => ({ sku, price_cents: 1 })) },
    'VALIDATION_ERROR',
  ],
  [
    'a value that no option has',
    { variants: [{ sku: 'x', price_cents: 1, option_values: { Color: 'Red' } }] },
    'VALIDATION_ERROR',
  ],
  ['four options', { options: ['a', 'b', 'c', 'd'].map((name) => ({ name })) }, 'VALIDATION_ERROR'],
  ['the same value twice', { options: [{ name: 'a', values: ['1', '1'] }] }, 'VALIDATION_ERROR'],
])('%s makes nothing', async (_what, fields, code) => {
  const { result, changes } = await app.changesBy(() => client.send('/products', 'POST', mug(fields)));
  expect([result.status, result.body.error_code, changes.events]).toEqual([400, code, []]);
});

it('a refusal names the field and the cure', async () => {
  const { body } = await client.send(
    '/products',
    'POST',
    shirt({ variants: [{ sku: 'x', price_cents: 1, option_values: { Color: 'Red' } }] }),
  );
  expect(body).toMatchObject({
    success: false,
    error: 'option_values: choose a value of Size',
    details: { fields: [{ field: 'option_values', message: 'choose a value of Size' }] },
  });
});

it('slugs are made from titles and counted on; one that is sent is taken once', async () => {
  const title = `Grüße & Straße ${another()}`;
  const made = [];
  for (let i = 0; i < 3; i++) made.push((await client.data('/products', 'POST', mug({ title }))).slug);
  expect(made[0]).toMatch(/^grusse-strasse-\d+$/);
  expect(made.slice(1)).toEqual([`${made[0]}-2`, `${made[0]}-3`]);
  expect(await client.refusal('/products', 'POST', mug({ slug: made[0] }))).toEqual([
    400,
    'VALIDATION_ERROR',
    'DUPLICATE',
  ]);
  expect((await client.data('/products', 'POST', mug({ title: '猫' }))).slug).toBe('product');
});

it('twenty made at once from the same title have twenty slugs', async () => {
  const title = `Rush ${another()}`;
  const made = await Promise.all(
    Array.from({ length: 20 }, () => client.data('/products', 'POST', mug({ title }))),
  );
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(20);
});

it('has as many variants as a product may have, of three options', async () => {
  const options = Object.entries({ Color: 25, Size: 5, Fit: 2 }).map(([name, count]) => ({
    name,
    values: Array.from({ length: count }, (_, at) => `${name} ${at}`),
  }));
  const { id } = await client.data('/products', 'POST', mug({ options, variants: [] }));
  const made = await client.data(`/products/${id}/variants/generate`, 'POST', { price_cents: 500 });
  expect(made).toHaveLength(250);
});

it('a description keeps its text and loses what could run', async () => {
  const html =
    '<h2>Good</h2><p onclick="x()">A <a href="javascript:alert(1)">b</a> <a href="https://a.test" target="_blank">c</a></p><script>x()</script><iframe src="https://a.test"></iframe>';
  const { id, description_html } = await client.data('/products', 'POST', mug({ description_html: html }));
  const clean =
    '<h2>Good</h2><p>A <a>b</a> <a href="https://a.test" target="_blank" rel="noopener">c</a></p>';
  expect(description_html).toBe(clean);
  const changed = await client.data(`/products/${id}`, 'PATCH', { description_html: '<script>x()</script>' });
  expect(changed.description_html).toBeNull();
});

it('is changed as it was read: a stale version is refused, a call without a change writes nothing', async () => {
  const { id } = await client.data('/products', 'POST', mug({ brand: 'Acme', tags: ['a'] }));
  const { result, changes } = await app.changesBy(() =>
    client.data(`/products/${id}`, 'PATCH', { title: 'Cup', tags: ['b'], version: 1 }),
  );
  expect(changes.events).toEqual(['product.updated']);
  expect(result).toMatchObject({ title: 'Cup', brand: 'Acme', tags: ['b'], version: 2 });
  expect(await client.refusal(`/products/${id}`, 'PATCH', { title: 'Bowl', version: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'STALE_VERSION',
  ]);
  const same = await app.changesBy(() =>
    client.data(`/products/${id}`, 'PATCH', { title: 'Cup', tags: ['b'] }),
  );
  expect([same.result.version, same.changes.events]).toEqual([2, []]);
  const cleared = await client.data(`/products/${id}`, 'PATCH', { brand: null });
  expect(cleared).toMatchObject({ brand: null, version: 3 });
});

it('of two changes of the same version one wins', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  const answers = await Promise.all(
    ['A', 'B', 'C'].map((title) => client.send(`/products/${id}`, 'PATCH', { title, version: 1 })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  expect((await client.data(`/products/${id}`)).version).toBe(2);
});

it('is published with variants alone, from a time on, and archived', async () => {
  const empty = await client.data('/products', 'POST', mug({ variants: [] }));
  expect(await client.refusal(`/products/${empty.id}/publish`, 'POST')).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  expect(await client.refusal(`/products/${empty.id}`, 'PATCH', { status: 'active' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  expect(await client.refusal('/products', 'POST', mug({ variants: [], status: 'active' }))).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  const { id } = await client.data('/products', 'POST', mug());
  const at = '2030-01-01T00:00:00.000Z';
  const published = await client.data(`/products/${id}/publish`, 'POST', { publish_at: at });
  expect(published).toMatchObject({ status: 'active', publish_at: at, version: 2 });
  expect(await client.data(`/products/${id}/publish`, 'POST', { publish_at: null })).toMatchObject({
    status: 'active',
    publish_at: null,
  });
  expect(await client.data(`/products/${id}/archive`, 'POST')).toMatchObject({ status: 'archived' });
});

it.each(['subscription', 'merch'])('a product of type %s stays a draft', async (type) => {
  const { id } = await client.data('/products', 'POST', mug({ type }));
  const { status, body } = await client.send(`/products/${id}/publish`, 'POST');
  expect([status, body.error]).toEqual([
    400,
    expect.stringContaining(`of the type ${type} cannot be sold in this version`),
  ]);
});

it('a gift card is sold without tax and discounts, whatever was asked for', async () => {
  const asked = { type: 'gift_card', is_taxable: true, is_discountable: true };
  const { id, is_taxable, is_discountable } = await client.data('/products', 'POST', mug(asked));
  expect([is_taxable, is_discountable]).toEqual([false, false]);
  expect(await client.data(`/products/${id}/publish`, 'POST')).toMatchObject({ status: 'active' });
});

it('is listed by words, SKU, status, type and tag, in every order', async () => {
  const word = `zz${another()}`;
  const first = await client.data(
    '/products',
    'POST',
    mug({ title: `${word} b`, tags: [word], variants: [{ sku: `${word}-sku`, price_cents: 5 }] }),
  );
  const second = await client.data('/products', 'POST', mug({ title: `${word} a`, type: 'digital' }));
  expect(await slugs(`q=${word}`)).toEqual([second.slug, first.slug]);
  expect(await slugs(`q=${word}&sort=title`)).toEqual([second.slug, first.slug]);
  expect(await slugs(`q=${word}&sort=-title`)).toEqual([first.slug, second.slug]);
  app.clock.advance(1);
  await client.data(`/products/${first.id}/publish`, 'POST');
  expect(await slugs(`q=${word}&sort=-updated`)).toEqual([first.slug, second.slug]);
  expect(await slugs(`q=${word.toUpperCase()}-SKU`)).toEqual([first.slug]);
  expect(await slugs(`q=${word}&status=active`)).toEqual([first.slug]);
  expect(await slugs(`q=${word}&type=digital`)).toEqual([second.slug]);
  expect(await slugs(`tag=${word.toUpperCase()}`)).toEqual([first.slug]);
  const { body } = await client.send(`/products?q=${word}&per_page=1&page=2`);
  expect(body).toMatchObject({
    data: [{ id: first.id }],
    pagination: { page: 2, per_page: 1, total: 2, total_pages: 2 },
  });
  expect((await client.send('/products?sort=nope')).status).toBe(400);
});

it('is deleted with all that is part of it', async () => {
  const { id, slug } = await client.data('/products', 'POST', shirt({ tags: ['x'] }));
  const other = await client.data('/products', 'POST', mug());
  await client.data(`/products/${other.id}/related`, 'PUT', { items: [{ product_id: id, kind: 'upsell' }] });
  await client.data(`/products/${id}`, 'PATCH', { slug: `moved-${another()}` });
  expect(await client.refusal(`/products/${id}`, 'DELETE', { version: 1 })).toEqual([
    400,
    'VALIDATION_ERROR',
    'STALE_VERSION',
  ]);
  const { result, changes } = await app.changesBy(() => client.send(`/products/${id}`, 'DELETE'));
  expect([result.status, result.body, changes.events]).toEqual([
    200,
    { success: true, data: { deleted: true, archived: false } },
    ['product.deleted'],
  ]);
  expect(await client.refusal(`/products/${id}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await client.data(`/products/${other.id}/related`)).toEqual([]);
  expect((await client.data('/products', 'POST', mug({ slug }))).slug).toBe(slug);
});

it('a copy is a draft with its own slug and SKUs', async () => {
  const body = shirt({ status: 'active', tags: ['x'], brand: 'Acme' });
  const { id } = await client.data('/products', 'POST', body);
  const copies = [
    await client.data(`/products/${id}/duplicate`, 'POST'),
    await client.data(`/products/${id}/duplicate`, 'POST', { title: 'Other' }),
  ];
  expect(copies.map(({ title, status, tags, brand }) => [title, status, tags, brand])).toEqual([
    [`${body.title} (copy)`, 'draft', ['x'], 'Acme'],
    ['Other', 'draft', ['x'], 'Acme'],
  ]);
  const skus = copies.map(({ variants }) => (variants as { sku: string }[]).map(({ sku }) => sku));
  expect(skus).toEqual(['-COPY', '-COPY2'].map((ending) => body.variants.map(({ sku }) => sku + ending)));
});

it('a copy costs what the other product does, from each quantity on', async () => {
  const { id, variants } = await client.data('/products', 'POST', shirt());
  const [first] = variants as { id: string }[];
  const tiers = [
    { min_quantity: 10, unit_cents: 900 },
    { min_quantity: 100, unit_cents: 700 },
  ];
  await client.data(`/variants/${first?.id}/price-tiers`, 'PUT', { tiers });
  const list = await client.data('/price-lists', 'POST', { name: `Trade ${another()}`, kind: 'fixed' });
  const ofList = { tiers: [{ min_quantity: 1, unit_cents: 1 }], price_list_id: list.id };
  await client.data(`/variants/${first?.id}/price-tiers`, 'PUT', ofList);
  const { result: copy, changes } = await app.changesBy(() =>
    client.data(`/products/${id}/duplicate`, 'POST'),
  );
  const copied = copy.variants as { id: string }[];
  const tiersOf = (variantId = '') => client.data(`/variants/${variantId}/price-tiers`);
  expect(await Promise.all(copied.map((one) => tiersOf(one.id)))).toEqual([tiers, [], [], []]);
  expect(changes.events).toEqual(['price.set', 'price.set', 'product.created']);
  const lists = `/variants/${copied[0]?.id}/price-tiers?price_list_id=${list.id}`;
  expect(await client.data(lists)).toEqual([]);
  expect(await tiersOf(first?.id)).toEqual(tiers);
});

it('related products are replaced as a whole, and exist', async () => {
  const [one, other] = [
    await client.data('/products', 'POST', mug()),
    await client.data('/products', 'POST', mug()),
  ];
  const items = [
    { product_id: other.id, kind: 'upsell' },
    { product_id: other.id, kind: 'related' },
  ];
  expect(await client.data(`/products/${one.id}/related`, 'PUT', { items })).toEqual(items);
  expect(await client.data(`/products/${one.id}/related`)).toEqual(items);
  for (const wrong of [
    [{ product_id: 'pdt_none', kind: 'related' }],
    [{ product_id: one.id, kind: 'related' }],
    [items[0], items[0]],
    [{ product_id: other.id, kind: 'friend' }],
  ])
    expect((await client.send(`/products/${one.id}/related`, 'PUT', { items: wrong })).status).toBe(400);
  expect(await client.data(`/products/${one.id}/related`, 'PUT', { items: [] })).toEqual([]);
});

it('keys read with products:read and write with products:write; others do neither', async () => {
  const key = async (scope: string) =>
    String((await client.data('/api-keys', 'POST', { name: 'x', scopes: [scope] })).key);
  const as = async (secret: string, method: string, body?: unknown) =>
    (await app.send('/api/store/products', { method, body, headers: { Authorization: `Bearer ${secret}` } }))
      .status;
  const [reads, writes, foreign] = [
    await key('products:read'),
    await key('products:write'),
    await key('orders:write'),
  ];
  expect([await as(reads, 'GET'), await as(reads, 'POST', mug())]).toEqual([200, 403]);
  expect([await as(writes, 'GET'), await as(writes, 'POST', mug())]).toEqual([200, 201]);
  expect([await as(foreign, 'GET'), await as(foreign, 'POST', mug())]).toEqual([403, 403]);
  expect((await app.send('/api/store/products')).status).toBe(401);
});
