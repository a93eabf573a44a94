// Fields and filters that name another thing offer what there is of it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { fieldsOf, member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const HOSTILE = '<script>alert(1)</script> "\u202egpj';

/** The choices of a field: what is sent, and what is read. */
const choicesIn = (html: string, tag: 'select' | 'datalist', id: string): [string, string][] => {
  const [, list = ''] = new RegExp(`<${tag} id="${id}"[^>]*>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
  return [...list.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].map(([, value = '', text = '']) => [
    value,
    text,
  ]);
};

it('offers few by name, those of the own tenant alone, and keeps what was typed', async () => {
  const product = await products.create(app.ctx, { name: HOSTILE, slug: 'offered' });
  const other = await app.otherTenant();
  await products.create(other, { name: 'Theirs', slug: 'theirs' });
  const policy = await policies.create(app.ctx, { name: 'Yearly' });
  const { text } = await browser.open('/admin/licenses/new');
  expect(choicesIn(text, 'select', 'field-productId').map(([value]) => value)).toEqual(['', product.id]);
  expect(text).toContain('&lt;script&gt;alert(1)');
  expect(text).not.toContain('<script>alert');
  expect(choicesIn(text, 'select', 'field-policyId')).toEqual([
    ['', 'None'],
    [policy.id, 'Yearly'],
  ]);
  const again = await browser.post('/admin/licenses/new', { ...fieldsOf(text), productId: 'offered' });
  expect(again.status).toBe(400);
  expect(again.text).toContain('<option value="offered" selected>offered</option>');
});

it('ticks several, beside those that are typed', async () => {
  const { text } = await browser.open('/admin/policies/new');
  const [one, two] = [
    await products.create(app.ctx, { name: 'One', slug: 'one' }),
    await products.create(app.ctx, { name: 'Two', slug: 'two' }),
  ];
  expect(text).toContain('type="checkbox" name="productIds"');
  const { headers } = await browser.post('/admin/policies/new', {
    ...fieldsOf(text),
    name: 'Of two',
    productIds: `${one.id}\r\n two \r\n`,
  });
  expect(headers.location).toMatch(/^\/admin\/policies\/pol_\w+\?done=create$/);
  const held = await Promise.all([one, two].map(({ id }) => products.get(app.ctx, id)));
  const id = /pol_\w+/.exec(headers.location ?? '')?.[0];
  expect(held.map(({ policyId }) => policyId)).toEqual([id, id]);
});

it('a filter is chosen by name, and says that name when it is in force', async () => {
  const policy = await policies.create(app.ctx, { name: 'Monthly' });
  await products.create(app.ctx, { name: 'Filtered', slug: 'filtered', policyId: policy.id });
  const { text } = await browser.open(`/admin/products?policyId=${policy.id}`);
  expect(choicesIn(text, 'select', 'filter-policyId')).toContainEqual([policy.id, 'Monthly']);
  expect(rowsOf(text).map((row) => row.includes('Filtered'))).toEqual([true]);
  expect(textOf(text)).toMatch(/Policy: Monthly /);
});

it('offers the first of many while one types, and nothing to whom the list is shut', async () => {
  for (let n = 0; n < 51; n += 1) await products.create(app.ctx, { name: `Many ${n}`, slug: `many-${n}` });
  const { text } = await browser.open('/admin/licenses/new');
  expect(choicesIn(text, 'datalist', 'field-productId-list')).toHaveLength(50);
  expect(text).toMatch(/<input id="field-productId"[^>]* list="field-productId-list"/);
  const { browser: other } = await member(app, ['users:write', 'users:read']);
  const shut = await other.open('/admin/users/new');
  expect([shut.status, shut.text.includes('name="roles"')]).toEqual([200, true]);
});

it('ticks what an account is confined to, by kind and name', async () => {
  const product = await products.create(app.ctx, { name: HOSTILE, slug: 'confining' });
  const { id, email } = await member(app, ['licensing:read']);
  const path = `/admin/users/${id}/edit`;
  const { text } = await browser.open(path);
  const boxes = [...text.matchAll(/name="scopes" value="([^"]*)"(?: checked)?> ([^<]*)</g)];
  const labelOf = (value: string) => boxes.find(([, one]) => one === value)?.[2];
  expect(labelOf(`tenant ${app.ctx.tenantId}`)).toMatch(/^Tenant: /);
  expect(labelOf(`license_product ${product.id}`)).toContain('Product: &lt;script&gt;');
  const sent = (scopes: string) => browser.post(path, { ...fieldsOf(text), scopes });
  const saved = await sent(`tenant ${app.ctx.tenantId}\r\nlicense_product ${product.id}`);
  expect([saved.status, saved.headers.location]).toEqual([303, `/admin/users/${id}?done=change`]);
  const { scopes } = (await browser.open(`/api/v1/admin/users/${id}`).then(({ text }) => JSON.parse(text)))
    .user;
  expect(scopes).toEqual([
    { kind: 'license_product', refId: product.id },
    { kind: 'tenant', refId: app.ctx.tenantId },
  ]);
  const again = await browser.open(path);
  expect(again.text).toContain(`value="license_product ${product.id}" checked`);
  expect((await browser.open(`/admin/users/${id}`)).text).toContain(`license product ${product.id}`);
  for (const [wrong, status] of [
    ['planet mars', 400],
    ['license_product', 400],
    [`license_product ${product.id.slice(0, -1)}${product.id.endsWith('0') ? '1' : '0'}`, 404],
  ] as const) {
    const refused = await browser.post(path, { ...fieldsOf(again.text), scopes: wrong });
    expect([wrong, refused.status, email]).toEqual([wrong, status, email]);
    if (status === 400) expect(refused.text).toContain(wrong);
  }
});
