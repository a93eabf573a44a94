// The rows of the specification about updates: endpoints, the refusal that only they have, and their limits.
import { createHash, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { Release } from '#licensing/releases/releases/index.ts';
import { bundleOf, keyOf, published, signedProduct } from '../licensing/release-fixture.ts';
import { type Query, updateRequests } from '../licensing/updates.ts';
import type { HttpReply } from '../support/http-client.ts';
import { row } from './rows.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let product: Product;
let release: Release;
let key: string;
let send: ReturnType<typeof updateRequests>;
beforeAll(async () => {
  world = await openWorld({ limits: 'on', proxyTrust: '127.0.0.1' });
  send = updateRequests(world);
  product = await signedProduct(world.ctx, 'reader');
  release = await published(world.ctx, product, '1.1.0', { changelog: 'Faster', isCritical: true });
  key = (await world.license({ productId: product.id })).key;
});
afterAll(() => world.close());

let addresses = 0;
const freshAddress = () => {
  addresses += 1;
  return { 'X-Forwarded-For': `203.0.113.${addresses}` };
};
const get = (path: string, typed: string | null, query: Query) =>
  send.get(path, typed, query, freshAddress());
const bytes = bundleOf('reader 1.1.0');
const digest = createHash('sha256').update(bytes).digest();
const signature = keyOf().sign(digest).toString('base64');
const invalid = [401, 'INVALID_LICENSE'];
const refused = ({ status, body }: HttpReply) => [status, body.error?.code];

it(row('endpoint', 'GET /api/v1/updates/check'), async () => {
  const { result, changes } = await world.changesBy(() => get('check', key, { current_version: '1.0.0' }));
  expect([result.status, result.body]).toMatchObject([
    200,
    {
      success: true,
      update_available: true,
      version: '1.1.0',
      changelog: 'Faster',
      bundle_size: bytes.length,
      sha256: digest.toString('hex'),
      signature,
      is_critical: true,
      requires_migration: false,
      published_at: release.publishedAt,
      release_id: release.id,
    },
  ]);
  expect([changes.events, changes.rows]).toEqual([[], {}]);
  const none = await get('check', key, { current_version: '1.1.0', channel: 'nightly' });
  expect(none.body).toMatchObject({ success: true, update_available: false });
  expect((await get('check', key, {})).status).toBe(400);
  expect((await get('check', key, { current_version: '1.0.0', channel: 'gold' })).status).toBe(400);
});

it(row('endpoint', 'GET /api/v1/updates/manifest'), async () => {
  const { status, body } = await get('manifest', key, { release_id: release.id });
  expect([status, body]).toMatchObject([
    200,
    {
      success: true,
      version: '1.1.0',
      filename: 'app-1.1.0.zip',
      size: bytes.length,
      sha256: digest.toString('hex'),
      signature,
      channel: 'stable',
      is_critical: true,
      requires_migration: false,
      published_at: release.publishedAt,
    },
  ]);
  expect((await get('manifest', key, {})).status).toBe(400);
});

it(row('endpoint', 'GET /api/v1/updates/download'), async () => {
  for (const from_version of [undefined, '1.0.0']) {
    const { status, headers, text } = await get('download', key, { release_id: release.id, from_version });
    expect([status, text]).toEqual([200, bytes.toString()]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringContaining('filename="app-1.1.0.zip"'),
      'content-length': String(bytes.length),
      'x-bundle-sha256': digest.toString('hex'),
      'x-bundle-signature': signature,
    });
  }
  expect((await get('download', key, {})).status).toBe(400);
});

it(row('endpoint', 'GET /api/v1/updates/public-key'), async () => {
  const { status, body } = await get('public-key', null, { product: 'reader', tenant: 'default' });
  expect([status, body]).toMatchObject([
    200,
    {
      success: true,
      public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n[\w+/=]{60}\n-----END/),
    },
  ]);
  expect((await get('public-key', null, {})).status).toBe(400);
});

it(row('error', 'INVALID_LICENSE'), async () => {
  const { id, key: revoked } = await world.license({ productId: product.id });
  await licenses.revoke(world.ctx, { licenseId: id }, null);
  const { key: foreign } = await world.license();
  for (const path of ['check', 'manifest', 'download']) {
    const query = path === 'check' ? { current_version: '1.0.0' } : { release_id: release.id };
    for (const typed of [null, 'APP-0000-0000-0000-0000', 'no key', revoked]) {
      expect([typed, ...refused(await get(path, typed, query))]).toEqual([typed, ...invalid]);
    }
    if (path !== 'check') expect(refused(await get(path, foreign, query))).toEqual(invalid);
  }
});

it(row('rule', 'updates are for ACTIVE licenses of the product of the release'), async () => {
  const { id: productId } = product;
  const dated = await world.license({ productId, validUntil: '2030-01-01T00:00:00.000Z' });
  const suspended = await world.license({ productId });
  await licenses.suspend(world.ctx, suspended.id, { reason: 'ADMIN', note: null });
  const revoked = await world.license({ productId });
  await licenses.revoke(world.ctx, { licenseId: revoked.id }, null);
  const foreign = await world.license();
  for (const path of ['manifest', 'download']) {
    const ask = (typed: string) => get(path, typed, { release_id: release.id });
    expect(refused(await ask(dated.key))).toEqual([200, undefined]);
    for (const other of [suspended, revoked, foreign]) expect(refused(await ask(other.key))).toEqual(invalid);
  }
  world.clock.advance(10 * 366 * 86_400);
  for (const path of ['manifest', 'download']) {
    expect(refused(await get(path, dated.key, { release_id: release.id }))).toEqual(invalid);
    expect(refused(await get(path, key, { release_id: release.id }))).toEqual([200, undefined]);
  }
});

it(row('rule', 'the signature of a release covers the SHA-256 of its bundle'), async () => {
  const { body } = await get('public-key', null, { product: 'reader' });
  const { headers, text } = await get('download', key, { release_id: release.id });
  const received = createHash('sha256').update(text).digest();
  expect(headers['x-bundle-sha256']).toBe(received.toString('hex'));
  const covers = (message: Uint8Array) =>
    verify(
      null,
      message,
      String(body.public_key),
      Buffer.from(String(headers['x-bundle-signature']), 'base64'),
    );
  expect(covers(received)).toBe(true);
  expect([covers(Buffer.from(text)), covers(Buffer.from(received.toString('hex')))]).toEqual([false, false]);
});

/** Asks until it is refused: after exactly `most` admitted calls, with the three documented headers on each. */
async function expectAdmitted(most: number, windowSeconds: number, ask: (n: number) => Promise<HttpReply>) {
  for (let n = 0; n <= most; n++) {
    const { status, headers, body } = await ask(n);
    expect([n, status, body.error?.code]).toEqual(n < most ? [n, 200, undefined] : [n, 429, 'RATE_LIMITED']);
    expect(headers['ratelimit-limit']).toBe(String(most));
    expect(headers['ratelimit-remaining']).toBe(String(Math.max(0, most - n - 1)));
    const reset = Number(headers['ratelimit-reset']);
    expect(reset > 0 && reset <= windowSeconds).toBe(true);
  }
}

it(row('limit', 'Update check and manifest'), async () => {
  const address = freshAddress();
  await expectAdmitted(60, 900, (n) =>
    n % 2 === 0 ? send.check(key, {}, address) : send.manifest(key, release.id, address),
  );
  expect((await send.check(key, {}, freshAddress())).status).toBe(200);
});

it(row('limit', 'Update download'), async () => {
  const address = freshAddress();
  await expectAdmitted(10, 3600, () => send.download(key, release.id, address));
  expect((await send.check(key, {}, address)).status).toBe(200);
});
