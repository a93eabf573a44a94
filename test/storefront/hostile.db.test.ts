// What hostile shoppers and careless staff send to the shop, and the right answers (reliability 5).
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginStopping } from '#kernel/jobs/stopping.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const open = (path: string) => openBrowser(app.send).open(path);

it('of countless filters in an address the first forty count: the page stays small', async () => {
  const names = Array.from({ length: 700 }, (_, at) => `option.a${at}=b`);
  const values = Array.from({ length: 2000 }, (_, at) => at.toString(36));
  for (const query of [names.join('&'), `tag=a&option.x=${values.join(',')}`]) {
    const { status, text } = await open(`/shop/products?${query}`);
    expect([status, text.length < 200_000]).toEqual([200, true]);
  }
});

it('the JSON of a list refuses countless filters, and takes forty', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `option.a${at}=b`).join('&');
  const values = (count: number) => Array.from({ length: count }, (_, at) => at.toString(36)).join(',');
  for (const query of [names(40), `tag=a&option.x=${values(39)}`, `brand=${values(40)}`])
    expect((await app.send(`/api/shop/products?${query}`)).status).toBe(200);
  const says =
    'is one too many; a list takes at most 40 values of category, collection, brand, tag and options together';
  for (const [query, name] of [
    [names(700), 'option.a40'],
    [names(41), 'option.a40'],
    [`tag=a&option.x=${values(40)}`, 'option.x'],
    [`brand=${values(41)}`, 'brand'],
    [`category=${values(100)}`, 'category'],
  ]) {
    const { status, body } = await app.send(`/api/shop/products?${query}`);
    expect([status, body.error_code, body.error]).toEqual([400, 'VALIDATION_ERROR', `${name}: ${says}`]);
  }
});

it('no text of a page can call for the token of its visitor', async () => {
  const mark = '\u0001csrf\u0001';
  const made = await client.data('/products', 'POST', {
    ...mug(),
    description_html: `<a href="https://example.test/?${mark}">x</a>`,
  });
  await client.data(`/products/${made.id}/publish`, 'POST', {});
  for (const path of [`/shop/products/${made.slug}`, `/shop/search?q=${encodeURIComponent(mark)}`]) {
    const { text } = await open(path);
    const token = /<meta name="csrf-token" content="([^"]+)">/.exec(text)?.[1] ?? 'none';
    const places = text.split(token).slice(0, -1);
    expect(places.length).toBeGreaterThan(0);
    for (const before of places)
      expect(before).toMatch(/(?:name="csrf-token" content|name="_csrf" value)="$/);
  }
});

it('names that every object has are names like others', async () => {
  const input = { ...mug(), options: [{ name: 'constructor', values: ['a', 'b'] }], variants: undefined };
  const made = await client.data('/products', 'POST', input);
  const variant = { sku: `${made.slug}-1`, price_cents: 100, option_values: {} };
  const missing = await client.send(`/products/${made.id}/variants`, 'POST', variant);
  expect([missing.status, missing.body.error]).toEqual([400, 'option_values: choose a value of constructor']);
  const chosen = { ...variant, option_values: { constructor: 'a' } };
  expect(await client.data(`/products/${made.id}/variants`, 'POST', chosen)).toMatchObject(chosen);
  const { status, body } = await client.send('/settings', 'PATCH', { currency_code: 'constructor' });
  expect([status, body.error]).toEqual([
    400,
    'currency_code: must be a currency code of three capital letters, such as EUR',
  ]);
});

it('a server that stops begins no further picture', async () => {
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(bytes)], { type: 'image/png' }), 'red.png');
  const { secret } = await app.adminToken('owner');
  const answer = await fetch(new URL('/api/store/media', app.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}` },
    body: form,
  });
  const { data } = (await answer.json()) as { data: { id: string } };
  beginStopping(app.ctx);
  expect(await runJob(app.ctx, 'media-variants')).toEqual({ ready: 0, failed: 0 });
  expect((await client.data(`/media/${data.id}`)).status).toBe('processing');
});
