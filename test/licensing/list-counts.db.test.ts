// What lists tell of each row beside the row itself: counts, the newest release, what became of deliveries (admin.md 5.5).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { policyViews } from '#licensing/catalog/policies/view.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { productViews } from '#licensing/catalog/products/view.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import type { Answer } from '../support/http-client.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';
import { drafted, published, signedProduct } from './release-fixture.ts';

let app: TestApp;
let receiver: Receiver;
let owner: MadeKey;
let everywhere: MadeKey;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
  owner = await app.adminToken('owner');
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

const list = async (path: string, key = owner): Promise<Answer[]> =>
  (await app.admin(path, key)).body.items as unknown as Answer[];
const bySlug = async (field: string) =>
  Object.fromEntries((await list('/products')).map((one) => [one.slug, one[field]]));

test('products: licenses of every status, type and tier', async () => {
  const { id: productId, slug } = await app.product();
  const kinds = [
    {},
    { tier: 'BUSINESS' },
    { tier: 'ENTERPRISE' },
    { type: 'FLOATING', maxActivations: 3 },
  ] as const;
  for (const kind of kinds) await app.license({ productId, ...kind });
  const { id: revoked } = await app.license({ productId });
  await licenses.revoke(app.ctx, { licenseId: revoked }, null);
  expect((await app.admin(`/products/${slug}`, owner)).body.product).toMatchObject({ licenses: 5 });
});

test('products: licenses without the trash and canary keys, and the highest version that is published', async () => {
  const editor = await signedProduct(app.ctx, 'editor');
  const other = await app.product({ slug: 'other', name: 'Other' });
  for (let n = 0; n < 2; n += 1) await app.license({ productId: editor.id });
  const trashed = await app.license({ productId: editor.id });
  await licenses.trash(app.ctx, trashed.id, null);
  await honeypots.create(app.ctx, { productId: editor.id, label: 'wiki' });
  await published(app.ctx, editor, '1.9.0');
  await published(app.ctx, editor, '1.10.0');
  await drafted(app.ctx, editor, '3.0.0');
  const withdrawn = await published(app.ctx, editor, '2.0.0');
  expect(await bySlug('newestRelease')).toMatchObject({ editor: '2.0.0', other: null });
  await releases.yank(app.ctx, withdrawn.id, { reason: 'crash' });
  expect(await bySlug('newestRelease')).toMatchObject({ editor: '1.10.0', other: null });
  expect(await bySlug('licenses')).toMatchObject({ editor: 2, other: 0 });
  const one = { licenses: 2, newestRelease: '1.10.0' };
  expect((await app.admin('/products/editor', owner)).body.product).toMatchObject(one);
  const changed = await app.admin('/products/editor', owner, { method: 'PATCH', body: { name: 'Editor 2' } });
  expect(changed.body.product).toMatchObject({ name: 'Editor 2', ...one });
  expect(await list('/signing-keys')).toMatchObject([{ productId: editor.id, signatures: 4 }]);
  const csv = (await app.admin('/products/export', owner)).text.trim().split('\n');
  expect(csv[0]).toContain(',licenses,newestRelease,');
  expect(csv.filter((line) => line.includes(',2,1.10.0,'))).toHaveLength(1);
  expect((await productViews([other], app.ctx))[0]).toMatchObject({ licenses: 0, newestRelease: null });
});

test('policies and key formats: what names them, of that only what the reader may see', async () => {
  const policy = await app.policy({ name: 'office' });
  const format = await keyFormats.create(app.ctx, { name: 'long', prefix: 'LONG', segments: 6 });
  const fields = { policyId: policy.id, keyFormatId: format.id };
  const mine = await app.product({ slug: 'mine', name: 'Mine', ...fields });
  const theirs = await app.product({ slug: 'theirs', name: 'Theirs', ...fields });
  const held = await app.license({ productId: mine.id });
  const trashed = await app.license({ productId: mine.id });
  const licenseIds = [held.id, trashed.id, (await app.license({ productId: theirs.id })).id];
  await licenses.attachPolicy(app.ctx, policy.id, { licenseIds });
  await licenses.trash(app.ctx, trashed.id, null);
  await app.policy({ name: 'unused' });
  const linked = Object.fromEntries((await list('/policies')).map((one) => [one.name, one.linked]));
  expect(linked).toEqual({ office: { products: 2, licenses: 2 }, unused: { products: 0, licenses: 0 } });
  const uses = Object.fromEntries((await list('/key-formats')).map((one) => [one.name, one.usedBy]));
  expect(uses.long).toBe(2);
  const confined = app.ctx.with({
    actor: {
      kind: 'staff',
      id: 'usr_x',
      label: 'x',
      permissions: 'all',
      scopes: { license_product: [mine.id] },
    },
  });
  expect((await policyViews([policy], confined))[0]?.linked).toEqual({ products: 1, licenses: 1 });
});

test('tenants: their licenses', async () => {
  const other = await app.otherTenant();
  const product = await products.create(other, { name: 'Far', slug: 'far' });
  const before = await list('/tenants', everywhere);
  await app.license({ productId: product.id }, other);
  const after = await list('/tenants', everywhere);
  const rise = after.map(({ id, licenses }, at) => [id, Number(licenses) - Number(before[at]?.licenses)]);
  expect(Object.fromEntries(rise)).toEqual({ [app.ctx.tenantId]: 0, [other.tenantId]: 1 });
});

test('webhooks: what arrived in 24 hours, and the newest delivery', async () => {
  const made = await app.admin('/webhooks', owner, {
    body: { url: receiver.url, events: ['LICENSE_CREATED'] },
  });
  const of = async (): Promise<Answer> => (await list('/webhooks'))[0] as Answer;
  expect(await of()).toMatchObject({ last24Hours: { delivered: 0, failed: 0 }, lastDeliveryAt: null });
  receiver.answers = [200, 404, 200];
  for (let n = 0; n < 3; n += 1) {
    await app.license();
    await webhookWorker(app.ctx).idle();
  }
  await app.admin(`/webhooks/${made.body.webhook?.id}/test`, owner, { body: {} });
  const at = app.ctx.now();
  expect(await of()).toMatchObject({
    last24Hours: { delivered: 2, failed: 1, failedAttempts: 1 },
    lastDeliveryAt: at,
    lastSuccessAt: at,
  });
  // One that waits for its next attempt has failed too.
  receiver.answers = [503];
  await app.license();
  await webhookWorker(app.ctx).idle();
  expect(await of()).toMatchObject({ last24Hours: { delivered: 2, failed: 1, failedAttempts: 2 } });
  app.clock.advance(SECONDS_PER_DAY);
  expect(await of()).toMatchObject({ last24Hours: { delivered: 0, failed: 0 }, lastDeliveryAt: at });
});
