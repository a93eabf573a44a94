// Two members of staff at once: what one of them deletes while another names it, and names that both would be given.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { upload } from '#platform/media/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { someoneWaits } from '../support/lock-wait.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

type Item = Awaited<ReturnType<typeof client.data>>;
type Send = () => ReturnType<typeof client.send>;

/** Deletes something, and sends a request that names it before the deletion is committed. */
async function meanwhile(remove: (ctx: Ctx) => Promise<unknown>, send: Send) {
  let answer: ReturnType<Send> | undefined;
  await app.ctx.tx(async (ctx) => {
    await remove(ctx);
    answer = send();
    await someoneWaits(app.instance.database);
  });
  const { status, body } = (await answer) as Awaited<ReturnType<Send>>;
  return [status, body.error_code, body.error];
}

/** On SQLite the request comes after the deletion; on Postgres beside it. */
const refused = (field: string) => [
  400,
  'VALIDATION_ERROR',
  expect.stringMatching(new RegExp(`^${field}\\S*: .*(deleted in the meantime|does not exist)`)),
];

const product = (): Promise<Item> => client.data('/products', 'POST', mug());
const category = (): Promise<Item> => client.data('/categories', 'POST', { name: `Shelf ${another()}` });
const variantOf = ({ variants }: Item): string => (variants as [{ id: string }])[0].id;

async function picture(): Promise<string> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const source = async function* () {
    yield bytes;
  };
  return (await upload(app.ctx, { source: source(), fileName: 'red.png' })).id;
}

describe('what is deleted while a request names it is as if it had never been there:', () => {
  it('a product that is shown beside another one', async () => {
    const [one, other] = [await product(), await product()];
    const items = [{ product_id: other.id, kind: 'related' }];
    const answer = await meanwhile(
      (ctx) => products.remove(ctx, other.id),
      () => client.send(`/products/${one.id}/related`, 'PUT', { items }),
    );
    expect(answer).toEqual(refused('items'));
  });

  it('a product of a category', async () => {
    const [one, shelf] = [await product(), await category()];
    const answer = await meanwhile(
      (ctx) => products.remove(ctx, one.id),
      () => client.send(`/categories/${shelf.id}/products`, 'PUT', { product_ids: [one.id] }),
    );
    expect(answer).toEqual(refused('product_ids'));
  });

  it('a category of a product', async () => {
    const [one, shelf] = [await product(), await category()];
    const answer = await meanwhile(
      (ctx) => categories.remove(ctx, shelf.id),
      () => client.send(`/products/${one.id}`, 'PATCH', { category_ids: [shelf.id] }),
    );
    expect(answer).toEqual(refused('category_ids'));
  });

  it('a variant that gets a price in a list', async () => {
    const one = await client.data('/products', 'POST', shirt());
    const list = await client.data('/price-lists', 'POST', { name: `List ${another()}`, kind: 'fixed' });
    const [variantId, price] = [variantOf(one), { unit_cents: 5 }];
    const answer = await meanwhile(
      (ctx) => products.removeVariant(ctx, variantId),
      () => client.send(`/price-lists/${list.id}/prices`, 'POST', { variant_id: variantId, ...price }),
    );
    expect(answer).toEqual(refused('variant_id'));
  });

  it('a variant that gets a file', async () => {
    const one = await client.data('/products', 'POST', shirt());
    const answer = await meanwhile(
      (ctx) => products.removeVariant(ctx, variantOf(one)),
      () => client.send(`/variants/${variantOf(one)}/files`, 'POST', { release_channel: 'stable' }),
    );
    expect(answer).toEqual([
      expect.toBeOneOf([400, 404]),
      expect.toBeOneOf(['VALIDATION_ERROR', 'NOT_FOUND']),
      expect.stringMatching(/^variant.*(deleted in the meantime|does not exist)$/),
    ]);
  });

  it('a page of the sample data, which another removal takes', async () => {
    const text = { title: `Sample ${another()}`, body_html: '<p>Text</p>' };
    const { id, slug, updated_at: mark } = await client.data('/pages', 'POST', text);
    await app.ctx.tx((ctx) =>
      ctx.db.knex('sample_items').insert({ id, kind: 'page', slug, mark, created_at: ctx.now() }),
    );
    const [status] = await meanwhile(
      (ctx) => ctx.db.knex('pages').where({ id }).delete(),
      () => client.send('/sample/remove', 'POST', {}),
    );
    expect(status).toBe(200);
  });

  it('a picture of an option value', async () => {
    const { id } = await client.data('/products', 'POST', shirt());
    const { options } = await client.data(`/products/${id}`);
    const [{ values }] = options as [{ values: [{ id: string }] }];
    const media = await picture();
    const answer = await meanwhile(
      (ctx) => ctx.db.knex('media').where({ id: media }).delete(),
      () => client.send(`/option-values/${values[0].id}`, 'PATCH', { media_id: media }),
    );
    expect(answer).toEqual(refused('media_id'));
  });
});

it('a file that is imported several times at once is imported, and no line of it fails', async () => {
  const number = another();
  const lines = [
    { kind: 'category', slug: `imported-${number}`, name: 'Imported' },
    ...Array.from({ length: 4 }, (_, at) => ({
      kind: 'product',
      slug: `imported-${number}-${at}`,
      title: 'Imported',
      type: 'physical',
      categories: [`imported-${number}`],
      variants: [{ sku: `IMPORTED-${number}-${at}`, price_cents: 100 }],
    })),
  ];
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => client.data('/products/import', 'POST', { lines })),
  );
  const results = answers.flatMap((one) =>
    (one as unknown as { result: string }[]).map(({ result }) => result),
  );
  expect(results.filter((one) => one === 'created')).toHaveLength(lines.length);
  expect(results).not.toContain('failed');
});

it('collections that are made at once from the same title have slugs of their own', async () => {
  const title = `Rush ${another()}`;
  const made = await Promise.all(
    Array.from({ length: 8 }, () => client.data('/collections', 'POST', { title, kind: 'manual' })),
  );
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(8);
});

it('copies that are made at once have SKUs of their own', async () => {
  const { id } = await product();
  const copies = await Promise.all(
    Array.from({ length: 8 }, () => client.data(`/products/${id}/duplicate`, 'POST', {})),
  );
  const skus = copies.map(({ variants }) => (variants as [{ sku: string }])[0].sku);
  expect(new Set(skus).size).toBe(8);
});

it.each([
  ['/products', (title: string) => mug({ title })],
  ['/categories', (name: string) => ({ name })],
  ['/collections', (title: string) => ({ title, kind: 'manual' })],
  ['/pages', (title: string) => ({ title, body_html: '<p>Text</p>' })],
])('what has the same long title gets one slug after the other: %s', async (path, input) => {
  const title = `${another()} ${'endless '.repeat(12)}`;
  const slugs: unknown[] = [];
  for (let at = 0; at < 12; at++) slugs.push((await client.data(path, 'POST', input(title))).slug);
  const ends = slugs.map((slug) => /-(\d+)$/.exec(String(slug))?.[1]);
  expect(ends).toEqual([undefined, ...Array.from({ length: 11 }, (_, at) => String(at + 2))]);
});
