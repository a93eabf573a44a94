// Releases as the customer of a license sees and downloads them, by the rules of the update endpoints (licensing 2.12;
// D36, D71, D83, D86, D90, D92, 6.4).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '#licensing/catalog/products/index.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import * as updates from '#licensing/releases/updates/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { codeOf } from '../support/refusal.ts';
import { gather } from '../support/stored.ts';
import { bundleOf, keyOf, published, signedProduct } from './release-fixture.ts';
import { updateRequests } from './updates.ts';

let app: TestApp;
let product: Product;
let licenseId: string;
beforeAll(async () => {
  app = await startApp();
  product = await signedProduct(app.ctx, 'reader');
  for (const version of ['1.0.0', '1.2.0', '2.0.0']) await published(app.ctx, product, version);
  await published(app.ctx, product, '2.1.0-rc.1', { channel: 'rc' });
  await published(app.ctx, product, '2.1.0-beta.1', { channel: 'beta' });
  licenseId = (await app.license({ productId: product.id })).id;
});
afterAll(() => app.close());

const versions = async (id: string, channel: ReleaseChannel = 'stable') =>
  (await updates.releasesFor(app.ctx, id, channel)).map(({ version }) => version);
const licensed = async (extra: Parameters<TestApp['license']>[0] = {}) =>
  (await app.license({ productId: product.id, ...extra })).id;

describe('releasesFor', () => {
  it('lists what is published, the highest version first, in channels that include each other', async () => {
    const { result, changes } = await app.changesBy(() => versions(licenseId));
    expect([result, changes]).toEqual([['2.0.0', '1.2.0', '1.0.0'], nothing]);
    expect(await versions(licenseId, 'rc')).toEqual(['2.1.0-rc.1', '2.0.0', '1.2.0', '1.0.0']);
    expect((await versions(licenseId, 'beta')).slice(0, 3)).toEqual(['2.1.0-rc.1', '2.1.0-beta.1', '2.0.0']);
    expect((await updates.latestFor(app.ctx, licenseId, 'stable'))?.version).toBe('2.0.0');
  });

  it('describes each with what verifies it', async () => {
    const [first] = await updates.releasesFor(app.ctx, licenseId, 'stable');
    const bytes = bundleOf('reader 2.0.0');
    expect(first).toEqual({
      releaseId: expect.stringMatching(/^rel_/),
      version: '2.0.0',
      channel: 'stable',
      platform: null,
      arch: null,
      filename: 'app-2.0.0.zip',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
      keyId: keyOf().keyId,
      publishedAt: app.ctx.now(),
      changelog: '',
    });
    const { body } = await updateRequests(app).get('public-key', null, { product: 'reader' });
    expect(await updates.publicKeysFor(app.ctx, product.id)).toEqual([
      {
        keyId: first?.keyId,
        status: 'ACTIVE',
        publicKeyPem: body.public_key,
        publicKeyRaw: body.public_key_raw,
      },
    ]);
  });

  it('ends at the version that the license covers, and needs what a release needs', async () => {
    expect(await versions(await licensed({ maxVersion: '1' }))).toEqual(['1.2.0', '1.0.0']);
    const other = await signedProduct(app.ctx, 'plain');
    await published(app.ctx, other, '1.0.0', { requiredEntitlements: ['pro'] });
    const [plain, pro] = [
      await licensed({ productId: other.id }),
      await licensed({ productId: other.id, features: { pro: true } }),
    ];
    expect([await versions(plain), await versions(pro)]).toEqual([[], ['1.0.0']]);
    expect(await updates.latestFor(app.ctx, plain, 'stable')).toBeNull();
  });

  it('shows every platform, and nothing that is a draft, scheduled, yanked, archived or held back', async () => {
    const other = await signedProduct(app.ctx, 'wide');
    const made = (version: string, more: Parameters<typeof published>[3] = {}) =>
      published(app.ctx, other, version, more);
    await releases.archive(app.ctx, (await made('0.9.0')).id);
    await made('1.0.0', { platform: 'windows' });
    await made('1.0.0', { bytes: bundleOf('wide for any') });
    await made('1.0.0', { platform: 'linux', bytes: bundleOf('wide for linux') });
    await made('1.1.0', { at: '2026-03-02T12:00:00.000Z' });
    await releases.yank(app.ctx, (await made('1.2.0')).id, { reason: 'broken' });
    await made('1.3.0', { rolloutPercent: 0 });
    await releases.create(app.ctx, { productId: other.id, version: '1.4.0' });
    const id = await licensed({ productId: other.id });
    const shown = (await updates.releasesFor(app.ctx, id, 'nightly')).map(
      ({ version, platform }) => `${version} ${platform}`,
    );
    expect(shown).toEqual(['1.0.0 null', '1.0.0 linux', '1.0.0 windows']);
    expect((await updates.latestFor(app.ctx, id, 'nightly'))?.platform).toBeNull();
  });

  it('refuses a license that is unknown, not ACTIVE, in the trash or of another tenant', async () => {
    const suspended = await licensed();
    await licenses.suspend(app.ctx, suspended, { reason: 'RETURN', note: null });
    const revoked = await licensed();
    await licenses.revoke(app.ctx, { licenseId: revoked }, 'REFUND');
    const trashed = await licensed();
    await licenses.trash(app.ctx, trashed, null);
    const expired = await licensed({ validUntil: app.ctx.now() });
    for (const id of [suspended, revoked, trashed, expired, 'lic_unknown'])
      for (const work of [
        () => updates.releasesFor(app.ctx, id, 'stable'),
        () => updates.latestFor(app.ctx, id, 'stable'),
        () => updates.openBundleFor(app.ctx, id, 'rel_unknown'),
      ])
        expect(await codeOf(work())).toBe('INVALID_LICENSE');
    expect(await codeOf(updates.releasesFor(await app.otherTenant(), licenseId, 'stable'))).toBe(
      'INVALID_LICENSE',
    );
    await licenses.reinstate(app.ctx, suspended);
    expect(await versions(suspended)).toHaveLength(3);
  });

  it('gives an expired license critical ones where its product does (6.8)', async () => {
    const other = await signedProduct(app.ctx, 'lapsing', { criticalUpdatesForExpired: true });
    await published(app.ctx, other, '1.0.0');
    await published(app.ctx, other, '1.0.1', { isCritical: true });
    expect(await versions(await licensed({ productId: other.id, validUntil: app.ctx.now() }))).toEqual([
      '1.0.1',
    ]);
  });
});

describe('openBundleFor', () => {
  it('opens the bytes, whole and in parts, with the headers of the update download', async () => {
    const found = await updates.latestFor(app.ctx, licenseId, 'stable');
    const { content, ...described } = await updates.openBundleFor(
      app.ctx,
      licenseId,
      String(found?.releaseId),
    );
    const bytes = bundleOf('reader 2.0.0');
    expect(described).toEqual(found);
    expect(content).toMatchObject({
      type: 'application/octet-stream',
      size: bytes.length,
      etag: `"${found?.sha256}"`,
      headers: {
        'Content-Disposition': `attachment; filename="app-2.0.0.zip"; filename*=UTF-8''app-2.0.0.zip`,
        'X-Bundle-SHA256': found?.sha256,
        'X-Bundle-Signature': found?.signature,
      },
    });
    const part = async (start: number, end: number) => Buffer.concat(await gather(content.read(start, end)));
    expect(await part(0, bytes.length - 1)).toEqual(bytes);
    expect(await part(10, 19)).toEqual(bytes.subarray(10, 20));
    await content.close();
  });

  it('counts a download when its first byte is sent', async () => {
    const other = await signedProduct(app.ctx, 'counted');
    const { id } = await published(app.ctx, other, '1.0.0');
    const { content } = await updates.openBundleFor(app.ctx, await licensed({ productId: other.id }), id);
    const downloads = async () => {
      await updates.flushCounts(app.ctx);
      return (await releases.stats(app.ctx, id)).downloads;
    };
    expect(await downloads()).toBe(0);
    content.begun?.();
    await content.close();
    expect(await downloads()).toBe(1);
  });

  it('serves an archived release; not one that is yanked, beyond the license or of another product', async () => {
    const other = await signedProduct(app.ctx, 'served');
    const [old, yanked, late] = [
      await published(app.ctx, other, '1.0.0'),
      await published(app.ctx, other, '1.1.0'),
      await published(app.ctx, other, '2.0.0'),
    ];
    await releases.archive(app.ctx, old.id);
    const id = await licensed({ productId: other.id, maxVersion: '1' });
    const opened = await updates.openBundleFor(app.ctx, id, old.id);
    await opened.content.close();
    await releases.yank(app.ctx, yanked.id, { reason: 'broken' });
    for (const release of [yanked.id, late.id, 'rel_unknown'])
      expect(await codeOf(updates.openBundleFor(app.ctx, id, release))).toBe('NOT_FOUND');
    expect(await codeOf(updates.openBundleFor(app.ctx, licenseId, old.id))).toBe('INVALID_LICENSE');
  });
});
