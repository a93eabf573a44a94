// The products beside a product, chosen in the panel by a form without a script.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const product = async () => {
  const { id, slug, title } = await client.data('/products', 'POST', mug({ status: 'active' }));
  return { id, slug: String(slug), title: String(title), path: `/store/products/${id}` };
};
const relationsOf = async (id: string) => (await client.data(`/products/${id}/related`)) as unknown;

it('saves a field of addresses for each kind and shows a link to each product', async () => {
  const [one, two, three, four] = [await product(), await product(), await product(), await product()];
  expect((await browser.open(one.path)).text).toContain('?tab=related');
  const saved = await browser.submit(`${one.path}/related`, {
    related: `${three.slug}\r\n${two.slug}\r\n`,
    upsell: '',
    cross_sell: `${four.slug}\r\n${two.slug}`,
  });
  expect([saved.status, saved.headers.location]).toEqual([303, `${one.path}?tab=related#tabs`]);
  expect(await relationsOf(one.id)).toEqual([
    { product_id: three.id, kind: 'related' },
    { product_id: two.id, kind: 'related' },
    { product_id: four.id, kind: 'cross_sell' },
    { product_id: two.id, kind: 'cross_sell' },
  ]);
  const { text } = await browser.open(`${one.path}?tab=related`);
  expect(text).toContain(`${three.slug}\n${two.slug}</textarea>`);
  expect(text).toContain(`<a href="${four.path}"><bdi>${four.title}</bdi></a>`);
  expect((await browser.submit(`${one.path}/related`, { related: '', cross_sell: '' })).status).toBe(303);
  expect(await relationsOf(one.id)).toEqual([]);
});

it('says at each field what is wrong with it, keeps what was typed and saves nothing', async () => {
  const [one, two] = [await product(), await product()];
  const path = `${one.path}/related`;
  await browser.submit(path, { related: two.slug });
  const refused = await browser.submit(path, {
    related: `${two.slug}\nno-such-thing`,
    upsell: one.slug,
    cross_sell: `${two.slug} ${two.slug}`,
  });
  expect(refused.status).toBe(400);
  const said = (field: string) =>
    textOf(new RegExp(`id="field-${field}-error">([^<]*)<`).exec(refused.text)?.[1] ?? '');
  expect([said('related'), said('upsell'), said('cross_sell')]).toEqual([
    'These products do not exist: no-such-thing. Copy addresses from the list of products.',
    `The address ${one.slug} is this product itself. Remove that line.`,
    `The address ${two.slug} appears twice. Remove one of the lines.`,
  ]);
  expect(refused.text).toContain('no-such-thing</textarea>');
  expect(await relationsOf(one.id)).toEqual([{ product_id: two.id, kind: 'related' }]);
});

it('takes no more than the API does', async () => {
  const one = await product();
  const slugs: string[] = [];
  while (slugs.length < 17) slugs.push((await product()).slug);
  const all = slugs.join('\n');
  const sent = await browser.submit(`${one.path}/related`, { related: all, upsell: all, cross_sell: all });
  expect(sent.status).toBe(400);
  expect(textOf(sent.text)).toContain('a product has at most 50 related products, these are 51');
  expect(await relationsOf(one.id)).toEqual([]);
});

it('shows who may not change products the links alone', async () => {
  const [one, two] = [await product(), await product()];
  await browser.submit(`${one.path}/related`, { upsell: two.slug });
  const { browser: reader } = await member(app, ['products:read']);
  const { text } = await reader.open(`${one.path}?tab=related`);
  expect(text).toContain(`<a href="${two.path}">`);
  expect(text).not.toContain('<textarea');
  expect((await reader.open(`${one.path}/related`)).status).toBe(403);
});
