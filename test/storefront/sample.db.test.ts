// Sample data: loaded twice, changed, removed; by JSON, by the panel and by command.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  staff = await storeClient(app);
});
afterAll(() => app.close());

interface State {
  products: number;
  categories: number;
  collections: number;
  pictures: number;
  pages: number;
  menus: number;
  task: { status: string; done: number; total: number } | null;
}
const state = () => staff.data('/sample') as unknown as Promise<State>;

async function load(): Promise<State> {
  expect((await staff.send('/sample/load', 'POST')).status).toBe(202);
  for (;;) {
    const now = await state();
    if (now.task?.status !== 'RUNNING') return now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const count = async (table: string) =>
  Number((await app.instance.database.db.knex(table).count({ n: '*' }).first())?.n);

it('an empty shop has none of it; a dry run says what would be made', async () => {
  expect(await state()).toMatchObject({ products: 0, pictures: 0, task: null });
  const { secret } = await app.adminToken('owner');
  const planned = await app.send('/api/store/sample/load', {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Dry-Run': 'true' },
  });
  expect([planned.status, planned.body.data]).toEqual([202, expect.objectContaining({ products: 60 })]);
  expect([await count('products'), await count('sample_items')]).toEqual([0, 0]);
});

it('it makes a shop of 60 products, and a second time nothing more', { timeout: 240_000 }, async () => {
  const own = await staff.data('/products', 'POST', {
    title: 'Gift card',
    slug: 'gift-card',
    type: 'physical',
  });
  const loaded = await load();
  expect(loaded).toMatchObject({
    products: 59,
    collections: 6,
    pages: 5,
    menus: 2,
    task: { status: 'DONE', done: 60, total: 60 },
  });
  expect(loaded.categories).toBeGreaterThanOrEqual(12);
  expect(loaded.pictures).toBeGreaterThanOrEqual(60);
  expect(await staff.data(`/products/${own.id}`)).toMatchObject({ title: 'Gift card', version: 1 });
  const { changes } = await app.changesBy(load);
  expect(Object.keys(changes.rows).filter((table) => table !== 'tasks')).toEqual([]);
  const jacket = await staff.data('/products/stormwall-jacket');
  expect(jacket).toMatchObject({
    status: 'active',
    categories: [{ slug: 'jackets' }],
    collections: [{ slug: 'autumn-outdoors' }, { slug: 'staff-picks' }],
    price_cents: 18_900,
  });
  expect([(jacket.variants as unknown[]).length, (jacket.media as unknown[]).length]).toEqual([12, 3]);
  expect(await staff.data('/products/guardian-privacy-suite')).toMatchObject({ status: 'draft' });
  const sale = await staff.data('/collections?q=sale');
  const found = await staff.data(`/collections/${(sale as unknown as { id: string }[])[0]?.id}/products`);
  expect((found as unknown as { product_ids: string[] }).product_ids.length).toBeGreaterThan(10);
});

it('the shop shows it', async () => {
  const page = await app.send('/shop/products/stormwall-jacket');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Saffron')]);
  expect((await app.send('/shop/categories/camping')).text).toContain('Ridgeline 2 tent');
  const home = (await app.send('/shop/')).text;
  for (const path of ['/shop/categories/outdoor', '/shop/collections/on-sale', '/shop/pages/terms'])
    expect(home).toContain(`href="${path}"`);
  expect((await app.send('/shop/pages/returns')).text).toContain('<bdi>Returns</bdi></h1>');
  const beside = await staff.data(`/products/${(await staff.data('/products/stormwall-jacket')).id}/related`);
  expect(JSON.stringify(beside)).toContain('related');
  expect(page.text).toContain('/shop/products/kindling-down-jacket');
});

it('pictures are drawings of less than 60 KB that say what they show', async () => {
  const rows: { bytes: number; alt: string; sha256: string }[] = await app.instance.database.db.knex('media');
  for (const { bytes, alt } of rows) expect([bytes < 60_000, alt.length > 3]).toEqual([true, true]);
});

it('is closed to who may not write products', async () => {
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send('/sample')).status).toBe(200);
  expect((await reader.send('/sample/load', 'POST')).status).toBe(403);
  expect((await reader.send('/sample/remove', 'POST')).status).toBe(403);
  const { browser } = await member(app, ['products:read']);
  expect((await browser.open('/store/sample')).status).toBe(403);
});

it('its page says what is there, and removes what nobody changed', { timeout: 240_000 }, async () => {
  const { browser } = await member(app);
  const shown = await browser.open('/store/sample');
  expect(textOf(shown.text)).toContain('59 products');
  const lamp = await staff.data('/products/dune-table-lamp');
  await staff.data(`/products/${lamp.id}`, 'PATCH', { title: 'My lamp' });
  const clock = (await staff.data('/products/quiet-wall-clock')) as { variants?: { id: string }[] };
  const variant = clock.variants?.[0]?.id;
  await staff.data(`/inventory/${variant}/adjust`, 'POST', { delta: 1, reason: 'received' });
  await staff.data(`/inventory/${variant}/adjust`, 'POST', { delta: -1, reason: 'correction' });
  const pages = (await staff.data('/pages')) as unknown as { id: string; slug: string }[];
  const about = pages.find(({ slug }) => slug === 'about')?.id;
  await staff.data(`/pages/${about}`, 'PATCH', { title: 'Who we are' });
  const [logo] = (await staff.data('/media?per_page=1')) as unknown as { id: string }[];
  await settings.setTexts(app.ctx, { logo_media_id: logo?.id ?? '' });
  const planned = await staff.send('/sample/remove', 'POST');
  expect(planned.status).toBe(200);
  const { removed, kept } = planned.body.data as unknown as {
    removed: Record<string, number>;
    kept: { kind: string; slug: string; reason: string }[];
  };
  expect(removed).toMatchObject({ products: 57, pages: 4, menus: 2 });
  const reasons = Object.fromEntries(kept.map(({ slug, reason }) => [slug, reason]));
  expect(reasons['dune-table-lamp']).toContain('changed');
  expect(reasons['quiet-wall-clock']).toContain('its stock was changed');
  expect(reasons.about).toContain('changed');
  expect(reasons.lighting).toContain('products that stay');
  expect(reasons.living).toContain('categories that stay');
  expect(kept.filter(({ reason }) => reason === 'it is shown by setting Logo').length).toBe(1);
  expect(await staff.data(`/products/${lamp.id}`)).toMatchObject({ title: 'My lamp' });
  expect([await count('products'), await count('menus'), await count('pages')]).toEqual([3, 0, 1]);
  const left: { storage_key: string }[] = await app.instance.database.db.knex('media');
  const stored = readdirSync(join(app.instance.config.dataDir, 'media'), { recursive: true });
  expect(stored.filter((name) => String(name).includes('original')).length).toBe(left.length);
  const again = await browser.submit('/store/sample', { do: 'remove' });
  expect(textOf(again.text)).toContain('it was changed since it was loaded');
});
