// A shop under its own name: nothing that a shopper or a program reads tells what it is made with (shop-pages 9, S10).
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadLanguages, textsOf } from '#platform/languages/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let addresses: string[];
beforeAll(async () => {
  app = await startApp();
  const client = await storeClient(app);
  const { secret } = await app.adminToken('owner');
  const png = await sharp({ create: { width: 300, height: 100, channels: 3, background: 'navy' } })
    .png()
    .toBuffer();
  for (const kind of ['logo', 'favicon'])
    await fetch(`${app.url}/api/store/settings/logo?kind=${kind}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
      body: new Uint8Array(png),
    });
  await runJob(app.ctx, 'media-variants');
  await loadLanguages();
  // Every text in words that no catalogue has, with what it leaves open.
  const own = [...textsOf('en')].map(([key, text]) => [
    key,
    `§${[...text.matchAll(/\{\{\w+\}\}/g)].map(([place]) => place).join(' ')}§`,
  ]);
  await client.data('/settings', 'PATCH', {
    store_name: 'Harbour Goods',
    store_open: true,
    brand_color: '#7a1f5c',
    labels: { en: Object.fromEntries(own) },
  });
  const category = await client.data('/categories', 'POST', { name: 'Cups', slug: 'cups' });
  const made = await client.data('/products', 'POST', shirt({ slug: 'one', category_ids: [category.id] }));
  const draft = await client.data('/products', 'POST', mug({ slug: 'gone' }));
  for (const { id } of [made, draft]) await client.data(`/products/${id}/publish`, 'POST', {});
  const { version } = await client.data(`/products/${draft.id}`);
  await client.data(`/products/${draft.id}/archive`, 'POST', { version });
  addresses = [
    ...['/shop/', '/shop/products', '/shop/products/one', '/shop/categories/cups', '/shop/collections'],
    ...['/shop/search?q=shirt', '/shop/search?q=nothing', '/shop/products?page=99', '/shop/products/gone'],
    ...['/shop/nope', '/shop/products/nope', '/shop/feed.xml', '/shop/manifest.webmanifest', '/robots.txt'],
    ...['/sitemap.xml', '/shop/sitemaps/pages.xml', '/shop/sitemaps/products-1.xml', '/api/shop/config'],
    ...['/api/shop/products/one', '/api/shop/products/nope'],
  ];
});
afterAll(() => app.close());

it('no answer of the shop names the program, in its body or its headers', async () => {
  for (const path of addresses) {
    const { headers, text } = await app.send(path);
    expect([path, /appctl/i.test(text)]).toEqual([path, false]);
    expect([path, text.includes('name="generator"')]).toEqual([path, false]);
    const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    expect([path, told.filter((line) => /appctl|express|^server:|x-powered-by/i.test(line))]).toEqual([
      path,
      [],
    ]);
  }
});

it('what pages load does not either', async () => {
  const { text } = await app.send('/shop/products/one');
  const loaded = [...text.matchAll(/(?:href|src)="(\/(?:assets|shop\/theme|shop\/icon)\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(loaded.length).toBeGreaterThan(2);
  for (const path of loaded)
    expect([path, /appctl/i.test((await app.send(path)).text)]).toEqual([path, false]);
});

it('name, logo, icon and color are those of the shop', async () => {
  const { text } = await app.send('/shop/');
  expect(text).toContain('alt="Harbour Goods"');
  expect(text).toContain('<link rel="icon" type="image/webp"');
  const theme = /href="(\/shop\/theme\/[^"]+)"/.exec(text)?.[1] ?? '';
  expect((await app.send(theme)).text).toContain('--brand:#7a1f5c');
  const manifest = JSON.parse((await app.send('/shop/manifest.webmanifest')).text);
  expect(manifest).toMatchObject({ name: 'Harbour Goods', theme_color: '#7a1f5c' });
});

it('every text of a page can be said in other words', async () => {
  const texts = [...textsOf('en').values()].filter((text) => text.length >= 10 && !text.includes('{{'));
  for (const path of addresses.filter(
    (one) => one.startsWith('/shop/') && !/\.(xml|webmanifest)$/.test(one),
  )) {
    const { text } = await app.send(path, { headers: { 'Accept-Language': 'en' } });
    expect([path, texts.filter((one) => text.includes(one))]).toEqual([path, []]);
    expect(text).toContain('§');
  }
});
