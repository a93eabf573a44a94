// Settings of the shop in the panel, and how they change its pages (storefront-domain 13, shop-pages 9).
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as mediaLibrary from '#platform/media/index.ts';
import { get } from '#platform/settings/index.ts';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: { low_stock_threshold: '7' } });
});
afterAll(() => app.close());

const open = (path: string) => openBrowser(app.send).open(path);
const GENERAL = '/store/settings/general';
const BRANDING = '/store/settings/branding';

it('the start page shows each group with what is set in it', async () => {
  const { browser } = await member(app);
  const { status, text } = await browser.open('/store/settings');
  expect(status).toBe(200);
  for (const name of [
    'general',
    'branding',
    'inventory',
    'media',
    'tax',
    'payment',
    'features',
    'promotions',
  ])
    expect(text).toContain(`href="/store/settings/${name}"`);
  expect(textOf((await browser.open('/store/settings/features')).text)).toContain('Gift cards');
});

it('a form changes what was changed in it, all of it or none, and says what is wrong at each field', async () => {
  const { browser } = await member(app);
  const page = await browser.open(GENERAL);
  expect(fieldsOf(page.text)).toMatchObject({ store_name: '', currency_code: 'USD', default_country: 'US' });
  const before = { store_name: 'Tea <b>', currency_code: 'XYZ', default_country: 'de' };
  const wrong = await app.changesBy(() => browser.submit(GENERAL, before));
  expect([wrong.result.status, wrong.changes.events]).toEqual([400, []]);
  const { text } = wrong.result;
  for (const key of ['currency_code', 'default_country']) expect(text).toContain(`href="#field-${key}"`);
  expect(fieldsOf(text)).toMatchObject({ store_name: 'Tea <b>', currency_code: 'XYZ' });
  expect(text).not.toContain('Tea <b>');
  const right = { store_name: 'Tea <b>', currency_code: 'EUR', default_country: 'DE', currency_symbol: '$' };
  const saved = await app.changesBy(() => browser.submit(GENERAL, right));
  expect([saved.result.status, saved.result.headers.location]).toEqual([303, `${GENERAL}?done=saved`]);
  expect(saved.changes.events).toEqual(Array(3).fill('SETTING_CHANGED'));
  expect(textOf((await browser.open('/store/settings')).text)).toContain('Store name Tea <b>');
  const same = await browser.submit(GENERAL, right);
  expect(same.headers.location).toBe(`${GENERAL}?done=same`);
  for (const key of ['store_name', 'currency_code', 'default_country'])
    expect((await browser.submit(GENERAL, { reset: key })).headers.location).toBe(`${GENERAL}?done=reset`);
  expect(get(app.ctx, 'currency_code')).toMatchObject({ value: 'USD', changed: false });
});

it('who may only read them sees no form, and a locked one has no field', async () => {
  const reader = await member(app, ['settings:read']);
  const { text } = await reader.browser.open(GENERAL);
  expect(text).not.toContain('name="store_name"');
  const token = await reader.browser.open('/admin/profile');
  const _csrf = /name="_csrf" value="([^"]*)"/.exec(token.text)?.[1] ?? '';
  const sent = await reader.browser.post(GENERAL, { _csrf, store_name: 'x' });
  expect([sent.status, get(app.ctx, 'store_name').value]).toEqual([403, null]);
  const other = await member(app, ['products:read']);
  expect((await other.browser.open(GENERAL)).status).toBe(403);
  const { browser } = await member(app);
  const locked = await browser.open('/store/settings/inventory');
  expect(locked.text).not.toContain('name="low_stock_threshold"');
  expect(textOf(locked.text)).toContain('Locked by APPCTL_SETTING_LOW_STOCK_THRESHOLD');
});

it('logo, icon and picture of the start page come from the library or with the form', async () => {
  const { browser } = await member(app);
  const { text: form } = await browser.open(BRANDING);
  const body = new FormData();
  body.set('_csrf', /name="_csrf" value="([^"]*)"/.exec(form)?.[1] ?? '');
  const png = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  body.set('logo_media_id_file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'logo.png');
  body.set('home_hero_title', 'Fresh & good');
  body.set('home_hero_link', '/shop/products');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const sent = await fetch(app.url + BRANDING, {
    method: 'POST',
    body,
    headers: { Cookie: cookie },
    redirect: 'manual',
  });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${BRANDING}?done=saved`]);
  const id = String(get(app.ctx, 'logo_media_id').value);
  expect((await open('/shop/')).text).not.toContain('<img src="/api/shop/media');
  await runJob(app.ctx, 'media-variants');
  expect(await mediaLibrary.find(app.ctx, id)).toMatchObject({ status: 'ready', fileName: 'logo.png' });
  await browser.submit(BRANDING, { favicon_media_id: id, home_hero_media_id: id });
  const { text } = await open('/shop/');
  expect(text).toMatch(
    /<a class="name" href="\/shop\/"><img src="\/api\/shop\/media\/[^"]+" srcset="[^"]+" width="\d+" height="\d+" alt="127.0.0.1">/,
  );
  expect(text).toContain('<link rel="icon" type="image/webp" href="/api/shop/media/');
  expect(text).toContain('<h1><bdi>Fresh &amp; good</bdi></h1>');
  expect(text).toContain('<a class="button" href="/shop/products">');
  const manifest = JSON.parse((await open('/shop/manifest.webmanifest')).text);
  expect(manifest.icons[0]).toMatchObject({ type: 'image/webp' });
  const { data } = (await app.send('/api/shop/config')).body as unknown as { data: { logo_url: string } };
  expect((await app.send(data.logo_url)).status).toBe(200);
  // Taken away first, deleted then.
  const { secret } = await app.adminToken('owner');
  const remove = () =>
    app.send(`/api/store/media/${id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${secret}` } });
  const kept = await remove();
  expect([kept.status, (kept.body.details as { reason?: string }).reason]).toEqual([400, 'IN_USE']);
  const none = { favicon_media_id: '', home_hero_media_id: '', logo_media_id: '' };
  await browser.submit(BRANDING, { ...none, home_hero_title: '', home_hero_link: '' });
  expect((await remove()).status).toBe(200);
});

it.each([
  [{ logo_media_id: 'med_nope' }, 'picture med_nope does not exist'],
  [{ brand_color: 'red' }, 'must be a color'],
  [{ home_hero_link: 'javascript:alert(1)' }, 'must be a path'],
  [{ home_hero_link: '//x.test' }, 'must be a path'],
  [{ custom_css: 'a {}\n@import "x";' }, 'line 2: @import is not allowed'],
  [{ announcement_text: 'x'.repeat(201) }, 'must have at most 200 characters'],
])('%j is refused beside its field', async (fields, words) => {
  const { browser } = await member(app);
  const { status, text } = await browser.submit(BRANDING, fields);
  expect([status, textOf(text).includes(words)]).toEqual([400, true]);
  expect(text).toContain(`href="#field-${Object.keys(fields)[0]}"`);
});

it('style sheet, announcement and footer stand on every page; scripts of the footer do not', async () => {
  const { browser } = await member(app);
  const css = 'h1 { letter-spacing: 0.01em }';
  await browser.submit(BRANDING, {
    custom_css: css,
    announcement_text: 'Free <shipping>',
    footer_html: '<p onclick="x()">Ann &amp; Co <script>alert(1)</script><a href="javascript:x">no</a></p>',
  });
  const { text } = await open('/shop/products');
  expect(text).toContain('<p class="announcement">Free &lt;shipping&gt;</p>');
  expect(text).toContain('<p>Ann &amp; Co <a>no</a></p>');
  const href = /href="(\/assets\/shop\/[0-9a-f]{16}\.css)"/.exec(text)?.[1] ?? '';
  const file = await open(href);
  expect([file.status, file.text, file.headers['content-type'], file.headers['cache-control']]).toEqual([
    200,
    css,
    'text/css; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  expect((await open('/assets/shop/0000000000000000.css')).headers['cache-control']).toBe('public, no-cache');
  expect((await open('/assets/shop/x.js')).status).toBe(404);
  await browser.submit(BRANDING, { custom_css: '', announcement_text: '', footer_html: '' });
  expect((await open('/shop/products')).text).not.toContain('/assets/shop/');
});

it('a color that cannot be read is shown with the shade that is used instead', async () => {
  const { browser } = await member(app);
  await browser.submit(BRANDING, { brand_color: '#ffee00' });
  const { text } = await browser.open(BRANDING);
  expect(textOf(text)).toMatch(
    /Too low On the light theme, #ffee00 has a contrast of 1\.\d:1\. Text needs 4\.5:1/,
  );
  expect(textOf(text)).toContain('On the dark theme, #ffee00');
  await browser.submit(BRANDING, { reset: 'brand_color' });
});

it('JSON sends a logo or an icon; what is no picture is refused', async () => {
  const key = await app.adminToken('owner');
  const send = (path: string, body: Uint8Array, secret = key.secret) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
      body: new Uint8Array(body),
    });
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'coral' } })
    .png()
    .toBuffer();
  const { result, changes } = await app.changesBy(() => send('/api/store/settings/logo?kind=favicon', png));
  const { data } = (await result.json()) as { data: { url: string } };
  expect([result.status, changes.events]).toEqual([200, ['MEDIA_UPLOADED', 'SETTING_CHANGED']]);
  await runJob(app.ctx, 'media-variants');
  expect((await app.send(data.url)).status).toBe(200);
  expect((await open('/shop/')).text).toContain(
    `<link rel="icon" type="image/webp" href="${data.url.replace('medium', 'thumbnail')}`,
  );
  const again = await send('/api/store/settings/logo', png);
  expect(again.status).toBe(200);
  expect(get(app.ctx, 'logo_media_id').value).toBe(get(app.ctx, 'favicon_media_id').value);
  const refused = await Promise.all([
    send('/api/store/settings/logo', Buffer.from('<html>')),
    send('/api/store/settings/logo?kind=hero', png),
    send('/api/store/settings/logo', png, (await app.adminToken('support')).secret),
    send('/api/store/settings/logo', png, 'nope'),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 403, 401]);
  for (const key of ['logo_media_id', 'favicon_media_id'])
    await app.send(`/api/store/settings/${key}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${(await app.adminToken('owner')).secret}` },
    });
});
