// Pictures of products: attached, ordered, described, shown in the shop, and kept while they are shown.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let token: string;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  token = (await app.adminToken('owner')).secret;
});
afterAll(() => app.close());

interface Shown {
  media_id: string;
  position: number;
  alt: string | null;
  variant_id: string | null;
  url: string | null;
}

/** A picture of the library that has been rendered, unless it shall wait; wider than it is high, whoever else counts. */
async function picture(alt = '', isRendered = true): Promise<string> {
  const background = { r: another() % 256, g: another() % 256, b: another() % 256 };
  const bytes = await sharp({
    create: { width: 900, height: 600 + (another() % 300), channels: 3, background },
  })
    .png()
    .toBuffer();
  const answer = await fetch(new URL(`/api/store/media?alt=${encodeURIComponent(alt)}`, app.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: Buffer.from(bytes),
  });
  const { data } = (await answer.json()) as { data: { id: string } };
  if (isRendered) await runJob(app.ctx, 'media-variants');
  return data.id;
}

const pictures = async (productId: string, method: string, body: unknown): Promise<Shown[]> =>
  (await client.data(`/products/${productId}/media`, method, body)) as unknown as Shown[];
const idsOf = (shown: readonly Shown[]) => shown.map(({ media_id }) => media_id);
const page = async (path: string) => {
  const answer = await fetch(new URL(path, app.url));
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

it('a product shows pictures in the order that staff gives them', async () => {
  const [one, two, three] = [await picture('One'), await picture(), await picture()];
  const { id, slug } = await client.data('/products', 'POST', mug({ media_ids: [one], status: 'active' }));
  expect(idsOf(await pictures(id, 'POST', { media_ids: [two, three, two] }))).toEqual([one, two, three]);
  const arranged = await pictures(id, 'PATCH', {
    items: [
      { media_id: three, position: 0, alt: 'From above' },
      { media_id: one, position: 1 },
      { media_id: two, position: 2 },
    ],
  });
  expect(arranged.map(({ media_id, position, alt }) => [media_id, position, alt])).toEqual([
    [three, 0, 'From above'],
    [one, 1, 'One'],
    [two, 2, null],
  ]);
  expect(await client.data(`/products/${id}/media/${one}`, 'DELETE')).toEqual({ deleted: true });
  const whole = await client.data(`/products/${id}`);
  expect(idsOf(whole.media as Shown[])).toEqual([three, two]);
  const shown = await app.get(`/api/shop/products/${String(slug)}`);
  expect(shown.body.data).toMatchObject({
    image: { alt: 'From above', thumbnail: expect.stringContaining('/thumbnail?v=') },
    media: [{ media_id: three }, { media_id: two }],
  });
});

it('lists, the page, structured data and the feed show the first picture once it is rendered', async () => {
  const id = await picture('A blue cup', false);
  const product = await client.data('/products', 'POST', mug({ media_ids: [id], status: 'active' }));
  const path = `/shop/products/${String(product.slug)}`;
  expect(await page(path)).not.toContain('<img');
  await runJob(app.ctx, 'media-variants');
  const { variants } = (await client.data(`/media/${id}`)) as unknown as {
    variants: Record<'thumbnail' | 'medium' | 'large', { url: string }>;
  };
  const html = await page(path);
  expect(html).toContain(
    `${variants.thumbnail.url} 300w, ${variants.medium.url} 800w, ${variants.large.url} 900w`,
  );
  expect(html).toContain('alt="A blue cup"');
  expect(html).toContain(`<meta property="og:image" content="${app.ctx.baseUrl}${variants.large.url}">`);
  expect(html).toContain(`"image":["${app.ctx.baseUrl}${variants.large.url}"]`);
  expect(await page(`/shop/search?q=${encodeURIComponent(String(product.title))}`)).toContain(
    variants.medium.url,
  );
  expect(await page('/shop/feed.xml')).toContain(
    `<g:image_link>${app.ctx.baseUrl}${variants.large.url}</g:image_link>`,
  );
});

it('a variant shows its own picture before the others', async () => {
  const [common, red] = [await picture('All colors'), await picture('Red alone')];
  const product = await client.data('/products', 'POST', shirt({ status: 'active', media_ids: [common] }));
  const variants = product.variants as { id: string; option_values: { Color: string } }[];
  const variant = variants.find(({ option_values: { Color } }) => Color === 'Red');
  await pictures(product.id, 'POST', { media_ids: [red], variant_id: variant?.id });
  const path = `/shop/products/${String(product.slug)}`;
  const ofRed = await page(`${path}?option.Color=Red&option.Size=M`);
  expect(ofRed.indexOf('alt="Red alone"')).toBeLessThan(ofRed.indexOf('alt="All colors"'));
  expect(ofRed).toContain('alt="Red alone"');
  expect(await page(`${path}?option.Color=Blue&option.Size=M`)).not.toContain('alt="Red alone"');
  const whole = await client.data(`/products/${product.id}`);
  const found = (whole.variants as { id: string; media_id: string | null }[]).find(
    ({ id }) => id === variant?.id,
  );
  expect(found?.media_id).toBe(red);
});

it('a picture that is shown is not deleted, and says where it is', async () => {
  const id = await picture();
  const product = await client.data('/products', 'POST', mug({ media_ids: [id] }));
  expect(await client.refusal(`/media/${id}`, 'DELETE')).toEqual([400, 'VALIDATION_ERROR', 'IN_USE']);
  expect((await client.data(`/media/${id}`)).usages).toEqual([
    { kind: 'product', id: product.id, title: product.title },
  ]);
  await client.data(`/products/${product.id}`, 'PATCH', { media_ids: [] });
  expect(await client.data(`/media/${id}`, 'DELETE')).toMatchObject({ deleted: true });
});

it('force takes a picture away from products, categories, collections and values, and deletes it', async () => {
  const id = await picture();
  const product = await client.data('/products', 'POST', mug({ media_ids: [id] }));
  const category = await client.data('/categories', 'POST', { name: `Shown ${another()}`, media_id: id });
  const fields = { title: `Picks ${another()}`, kind: 'manual', media_id: id };
  const collection = await client.data('/collections', 'POST', fields);
  const option = await client.data(`/products/${product.id}/options`, 'POST', { name: 'Color' });
  const value = await client.data(`/options/${option.id}/values`, 'POST', { value: 'Red', media_id: id });
  const uses = [
    { kind: 'product', id: product.id, title: product.title },
    { kind: 'category', id: category.id, title: category.name },
    { kind: 'collection', id: collection.id, title: collection.title },
    { kind: 'option_value', id: value.id, title: `Color: Red (${String(product.title)})` },
  ];
  expect((await client.data(`/media/${id}`)).usages).toEqual(uses);
  const kept = await client.send(`/media/${id}`, 'DELETE');
  expect([kept.status, kept.body.details]).toEqual([400, { reason: 'IN_USE', uses }]);
  expect(kept.body.error).toContain(`category ${String(category.name)}`);
  const forced = await app.changesBy(() => client.send(`/media/${id}?force=1`, 'DELETE'));
  expect(forced.result.status).toBe(200);
  expect([...forced.changes.events].toSorted()).toEqual([
    'MEDIA_DELETED',
    'category.updated',
    'collection.updated',
    'product.updated',
    'product.updated',
  ]);
  expect((await client.send(`/media/${id}`)).status).toBe(404);
  expect((await client.data(`/products/${product.id}`)).media).toEqual([]);
  expect((await client.data(`/categories/${category.id}`)).media_id ?? null).toBeNull();
  expect((await client.data(`/collections/${collection.id}`)).media_id).toBeNull();
});

it('pictures without a description are counted and listed', async () => {
  const id = await picture();
  const total = async (alt: string) => {
    const { body } = await client.send(`/media?alt=${alt}&per_page=100`);
    const { data, pagination } = body as unknown as {
      data: { id: string; alt: string | null }[];
      pagination: { total: number };
    };
    return { total: pagination.total, alts: data.map(({ alt }) => alt), ids: data.map(({ id }) => id) };
  };
  await client.data(`/media/${id}`, 'PATCH', { alt: '' });
  const before = await total('missing');
  expect(before.ids).toContain(id);
  expect(before.alts.every((alt) => alt === null)).toBe(true);
  await client.data(`/media/${id}`, 'PATCH', { alt: 'A mug' });
  const after = await total('missing');
  expect([after.total, after.ids.includes(id)]).toEqual([before.total - 1, false]);
  expect((await total('present')).ids).toContain(id);
  expect((await client.send('/media?alt=none')).status).toBe(400);
});

it('what does not exist is named, and changes nothing', async () => {
  const id = await picture();
  const product = await client.data('/products', 'POST', mug({ media_ids: [id] }));
  const refused = async (method: string, body: unknown) => {
    const { status, body: answer } = await client.send(`/products/${product.id}/media`, method, body);
    const { fields = [] } = (answer.details ?? {}) as { fields?: { field: string }[] };
    return [status, answer.error_code, fields[0]?.field];
  };
  expect(await refused('POST', { media_ids: [id, 'med_none'] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'media_ids.1',
  ]);
  expect(await refused('POST', { media_ids: [id], variant_id: 'var_none' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'variant_id',
  ]);
  expect(await refused('PATCH', { items: [{ media_id: 'med_none' }] })).toEqual([
    400,
    'VALIDATION_ERROR',
    'items.0.media_id',
  ]);
  expect(await refused('POST', {})).toEqual([400, 'VALIDATION_MISSING_FIELD', 'media_ids']);
  expect((await client.send(`/products/${product.id}/media/med_none`, 'DELETE')).status).toBe(404);
  expect((await client.send(`/products/pdt_none/media`, 'POST', { media_ids: [id] })).status).toBe(404);
  expect(idsOf((await client.data(`/products/${product.id}`)).media as Shown[])).toEqual([id]);
});

it('a copy shows the same pictures, and a deleted product lets go of them', async () => {
  const id = await picture();
  const product = await client.data('/products', 'POST', mug({ media_ids: [id] }));
  const copy = await client.data(`/products/${product.id}/duplicate`, 'POST', {});
  expect(idsOf(copy.media as Shown[])).toEqual([id]);
  for (const one of [product, copy]) await client.data(`/products/${one.id}`, 'DELETE');
  expect((await client.data(`/media/${id}`)).usages).toEqual([]);
});

it('categories and values of options have a picture, which the shop shows with their names', async () => {
  const [front, fabric] = [await picture('Bowls'), await picture('Linen')];
  const above = await client.data('/categories', 'POST', { name: `Table ${another()}` });
  const below = await client.data('/categories', 'POST', {
    name: `Bowls ${another()}`,
    parent_id: above.id,
    media_id: front,
  });
  expect(below.media_id).toBe(front);
  const product = await client.data('/products', 'POST', shirt({ status: 'active' }));
  const [color] = product.options as { values: { id: string; value: string }[] }[];
  const value = color?.values[0];
  const changed = await client.data(`/option-values/${value?.id}`, 'PATCH', { media_id: fabric });
  expect([changed.media_id, (changed.image as { alt: string }).alt]).toEqual([fabric, 'Linen']);
  expect(await page(`/shop/categories/${above.slug}`)).toMatch(/<img class="swatch"[^>]*> Bowls/);
  expect(await page(`/shop/categories/${below.slug}`)).toMatch(/<img class="picture place"[^>]*alt="Bowls"/);
  expect(await page(`/shop/products/${product.slug}`)).toMatch(/<img class="swatch"[^>]*> <span>Red/);
  const { data } = (await (await fetch(new URL(`/api/shop/categories/${below.slug}`, app.url))).json()) as {
    data: { image: { thumbnail: string } };
  };
  expect(data.image.thumbnail).toContain('/thumbnail?v=');
  const fields = {
    title: 'For the table',
    kind: 'manual',
    media_id: (await client.data(`/categories/${below.id}`)).media_id,
  };
  const picks = await client.data('/collections', 'POST', fields);
  expect(await page(`/shop/collections/${picks.slug}`)).toMatch(/<img class="picture place"[^>]*alt="Bowls"/);
  expect(await page('/shop/collections')).toMatch(/<img class="swatch"[^>]*> <bdi>For the table/);
  const shown = (await (
    await fetch(new URL(`/api/shop/collections/${picks.slug}`, app.url))
  ).json()) as typeof below;
  expect(shown.data).toMatchObject({ image: { thumbnail: expect.stringContaining('/thumbnail?v=') } });
  const unknown = { media_id: 'med_none' };
  expect((await client.refusal(`/collections/${picks.id}`, 'PATCH', unknown))[0]).toBe(400);
  expect(await client.refusal(`/categories/${above.id}`, 'PATCH', unknown)).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  expect(await client.refusal(`/option-values/${value?.id}`, 'PATCH', unknown)).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  expect((await client.data(`/categories/${below.id}`, 'PATCH', { media_id: null })).media_id).toBeNull();
});
