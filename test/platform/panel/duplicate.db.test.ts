// Another one is made like an item: its form begins with what the item has, but for what each has of its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { PERMISSIONS } from '#platform/permissions/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { fieldsOf, member } from './staff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('a product is made like another one', async () => {
  const { browser } = await member(app);
  const { id } = await products.create(app.ctx, {
    name: 'Copied',
    slug: 'copied',
    type: 'WEB',
    defaultLicenseType: 'SUBSCRIPTION',
    defaultDurationDays: 30,
  });
  expect((await browser.open(`/admin/products/${id}`)).text).toContain(
    `href="/admin/products/new?_from=${id}"`,
  );
  const form = fieldsOf((await browser.open(`/admin/products/new?_from=${id}`)).text);
  expect(form).toMatchObject({
    name: '',
    slug: '',
    type: 'WEB',
    defaultLicenseType: 'SUBSCRIPTION',
    defaultDurationDays: '30',
  });
  const { status } = await browser.post('/admin/products/new', { ...form, name: 'Second', slug: 'second' });
  expect(status).toBe(303);
  expect(await products.find(app.ctx, 'second')).toMatchObject({ type: 'WEB', defaultDurationDays: 30 });
});

it('nothing of another tenant is copied, and who may not create is not offered it', async () => {
  const { id } = await products.create(app.ctx, { name: 'Ours', slug: 'ours' });
  const { id: tenantId } = await tenants.create(app.ctx, { slug: 'copies', name: 'Copies' });
  const stranger = await member(app, PERMISSIONS, tenantId);
  expect((await stranger.browser.open(`/admin/products/new?_from=${id}`)).status).toBe(404);
  const reader = await member(app, ['licensing:read']);
  const { status, text } = await reader.browser.open(`/admin/products/${id}`);
  expect([status, text.includes('>Duplicate<')]).toEqual([200, false]);
});

it('an address is one line, and a secret is never copied', async () => {
  const { browser } = await member(app);
  const url = 'https://hooks.example.com/copied';
  const { webhook, signingSecret } = await webhooks.create(app.ctx, licenseWebhooks, { url, events: ['*'] });
  const { text } = await browser.open(`/admin/webhooks/new?_from=${webhook.id}`);
  expect(text).toMatch(new RegExp(`<input id="field-url" name="url" type="text" value="${url}"`));
  expect(text).not.toContain(signingSecret);
});

it('what holds nothing is an empty field, and is empty again when it was cleared', async () => {
  const { browser } = await member(app);
  const url = 'https://hooks.example.com/cleared';
  const headers = { 'X-Team': 'billing' };
  const { webhook } = await webhooks.create(app.ctx, licenseWebhooks, { url, events: ['*'], headers });
  const path = `/admin/webhooks/${webhook.id}/edit`;
  const form = fieldsOf((await browser.open(path)).text);
  expect((await browser.post(path, { ...form, headers: '{}', 'was.headers': '{"X-Team":""}' })).status).toBe(
    303,
  );
  const cleared = fieldsOf((await browser.open(path)).text);
  expect([cleared.headers, cleared['was.headers']]).toEqual(['', '']);
  const same = await app.changesBy(() => browser.post(path, cleared));
  expect([same.result.status, same.changes.rows.webhooks]).toEqual([303, undefined]);
});
