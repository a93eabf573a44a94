// The shop's part of the panel: always of the shop's tenant, closed to staff of others; its products and its keys.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as tenants from '#platform/tenants/index.ts';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let owner: string;
let otherTenant: string;
beforeAll(async () => {
  app = await startApp();
  owner = (await app.adminToken('owner')).secret;
  otherTenant = (await tenants.create(app.ctx, { name: 'Acme', slug: 'acme' })).id;
});
afterAll(() => app.close());

const LISTS = ['/store/products', '/store/settings/api-keys'];

async function madeProduct(title: string): Promise<string> {
  const { status, body } = await app.send('/api/store/products', {
    method: 'POST',
    body: {
      title,
      type: 'physical',
      tags: ['summer'],
      options: [{ name: 'Color', values: ['Red'] }],
      variants: [{ sku: `${title}-R`, price_cents: 2550, option_values: { Color: 'Red' } }],
    },
    headers: { Authorization: `Bearer ${owner}` },
  });
  expect(status).toBe(201);
  return (body.data as unknown as { id: string }).id;
}

it.each(LISTS)('%s is closed to staff of another tenant, and absent from their navigation', async (path) => {
  const { browser } = await member(app, undefined, otherTenant);
  const refused = await browser.open(path);
  expect(refused.status).toBe(403);
  expect(textOf(refused.text)).toContain('Your account does not include the shop');
  expect((await browser.open('/admin/profile/preferences')).text).not.toContain(`href="${path}"`);
});

it.each(LISTS)('%s is open to staff of the tenant of the shop, and in their navigation', async (path) => {
  const { browser } = await member(app);
  const { status, text } = await browser.open(path);
  expect([status, text.includes(`href="${path}"`)]).toEqual([200, true]);
});

it('shows a product with its price, tags, variants and options', async () => {
  const id = await madeProduct('Shirt');
  const { browser } = await member(app);
  const [row = []] = rowsOf((await browser.open('/store/products?q=Shirt')).text);
  expect(row.join(' ')).toMatch(/Shirt.*\$25\.50.*summer/);
  const page = await browser.open(`/store/products/${id}`);
  expect([page.status, textOf(page.text)]).toEqual([200, expect.stringContaining('Shirt-R')]);
  const options = await browser.open(`/store/products/${id}/options`);
  expect(rowsOf(options.text)[0]?.join(' ')).toContain('Color Red');
});

it('makes a product by its form, and an option on its page', async () => {
  const { browser } = await member(app);
  const form = await browser.open('/store/products/new');
  expect(form.text).not.toMatch(/<(textarea|select)[^>]*name="(options|variants)"/);
  const made = await browser.submit('/store/products/new', { title: 'Mug', type: 'physical' });
  expect(made.status).toBe(303);
  const list = await browser.open('/store/products?q=Mug');
  const path = /href="(\/store\/products\/pdt_[^"/]*)"/.exec(list.text)?.[1] ?? '';
  expect((await browser.submit(`${path}/edit`, { brand: 'Acme' })).status).toBe(303);
  expect((await browser.submit(`${path}/options/new`, { name: 'Size', values: 'S' })).status).toBe(303);
  const sold = { sku: 'MUG-S', priceCents: '19', optionValues: '{"Size": "S"}' };
  expect((await browser.submit(`${path}/variants/new`, sold)).status).toBe(303);
  const variants = await browser.open(`${path}/variants`);
  expect(variants.text).toContain('value="19.00"');
  const variant = /href="(\/store\/variants\/var_[^"/]*)"/.exec(variants.text)?.[1] ?? '';
  expect((await browser.submit(`${variant}/edit`, { priceCents: '21.00' })).status).toBe(303);
  expect((await browser.submit(`${path}/publish`, {})).status).toBe(303);
  expect((await app.send('/shop/products/mug')).text).toContain('$21.00');
  expect(textOf((await browser.open(path)).text)).toContain('Acme');
});

it('shows a key once, when it is made', async () => {
  const { browser } = await member(app);
  const path = '/store/settings/api-keys';
  const made = await browser.submit(`${path}/new`, { name: 'sync', scopes: 'products:read' });
  expect(made.text).toMatch(/ask_[\w-]{20,}/);
  const key = /ask_[\w-]{20,}/.exec(made.text)?.[0] ?? '';
  const listed = await app.send('/api/store/products', { headers: { Authorization: `Bearer ${key}` } });
  expect(listed.status).toBe(200);
  const list = await browser.open(path);
  expect([list.text.includes('sync'), list.text.includes(key)]).toEqual([true, false]);
});
