// One search over everything that staff works with (admin.md 4).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const found = async (q: string, token = owner) => {
  const { status, body } = await app.admin(`/search?q=${encodeURIComponent(q)}`, token);
  expect(status).toBe(200);
  return (body.items as unknown as { resource: string; id: string }[]).map(({ resource, id }) => [
    resource,
    id,
  ]);
};

it('finds a product and the licenses of an address, an order and a key, each once', async () => {
  const product = await products.create(app.ctx, { name: 'Sound Editor', slug: 'sound' });
  const { license } = await licenses.create(
    app.ctx,
    {
      productId: product.id,
      customerEmail: 'ann@shop.test',
      type: 'PERPETUAL',
      orderId: 'order-4711',
    } as never,
    { source: 'ADMIN' } as never,
  );
  const { key } = licenses.licenseView(app.ctx, license, { reveal: true });
  expect(await found('sound edi')).toEqual([['products', product.id]]);
  for (const q of ['ann@shop.test', 'order-4711', String(key), license.id])
    expect(await found(q)).toContainEqual(['licenses', license.id]);
});

it('shows nothing of another tenant, of products somebody is not confined to, and to whoever may not read', async () => {
  const other = await app.otherTenant();
  const hidden = await products.create(other, { name: 'Hidden Plans', slug: 'hidden' });
  const own = await products.create(app.ctx, { name: 'Hidden Garden', slug: 'garden' });
  expect(await found('hidden')).toEqual([['products', own.id]]);
  const confined = await app.adminToken('licensing', { productIds: [own.id] });
  const blind = await app.adminToken('accountant');
  expect(await found('hidden', confined)).toEqual([['products', own.id]]);
  expect(await found('sound', confined)).toEqual([]);
  expect(await found('hidden', blind)).toEqual([]);
  expect(hidden.id).not.toBe(own.id);
});

it.each(['', 'q=', `q=${'x'.repeat(201)}`, 'q=a&limit=21', 'q=a&what=1', 'q=%00'])(
  '%s is refused',
  async (query) => {
    const { status, body } = await app.admin(`/search?${query}`, owner);
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
  },
);
