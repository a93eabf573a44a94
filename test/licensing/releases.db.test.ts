// Drafts of releases, their lists, and what they mean to their product (licensing 4.2, D45).
import { describe, expect, test } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { changesBy } from '../support/database-changes.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { drafted, published, signedProduct } from './release-fixture.ts';
import { reasonOf, releaseWorld } from './release-world.ts';

const world = releaseWorld();

describe('create', () => {
  test('makes a draft with every default, tells it, and leaves the version of the releases', async () => {
    const before = await world.releasesVersion();
    const { result, changes } = await changesBy(world.own.database, () =>
      releases.create(world.own.ctx, { productId: 'editor', version: '0.1.0' }),
    );
    expect(result).toMatchObject({
      productId: world.product.id,
      productSlug: 'editor',
      channel: 'stable',
      platform: '',
      arch: '',
      state: 'DRAFT',
      changelog: '',
      bundleSha256: null,
      signature: null,
      isCritical: false,
      minFromVersion: null,
      requiredEntitlements: [],
      rollout: { bps: 10_000, paused: false, schedule: [] },
      publishedAt: null,
    });
    expect(changes.events).toEqual(['RELEASE_CREATED']);
    expect(await releases.get(world.own.ctx, result.id)).toEqual(result);
    expect(await world.releasesVersion()).toBe(before);
  });

  test('takes platform and processor by their aliases', async () => {
    const input = { productId: world.product.id, version: '0.1.0', platform: 'macos', arch: 'amd64' };
    expect(await releases.create(world.own.ctx, input)).toMatchObject({ platform: 'darwin', arch: 'x64' });
    const again = { ...input, platform: 'osx', arch: 'x86_64' };
    expect(await reasonOf(releases.create(world.own.ctx, again))).toBe('CONFLICT VERSION_EXISTS');
    const found = await releases.find(world.own.ctx, {
      product: 'editor',
      version: '0.1.0',
      platform: 'darwin',
      arch: 'x64',
    });
    expect(found?.arch).toBe('x64');
    expect(await releases.find(world.own.ctx, { product: 'editor', version: '9.9.9' })).toBeNull();
  });

  test.each([
    ['a leading v', { version: 'v1.0.0' }, 'version'],
    ['two parts', { version: '1.0' }, 'version'],
    ['a blank', { version: ' 1.0.0' }, 'version'],
    ['a leading zero', { version: '1.0.01' }, 'version'],
    ['101 characters', { version: `1.0.0-${'a'.repeat(95)}` }, 'version'],
    ['numbers beyond what can be compared', { version: '99999999999999999999.0.0' }, 'version'],
    ['a NUL', { version: '1.0.0\0' }, 'version'],
    ['an unknown platform', { platform: 'beos' }, 'platform'],
    ['__proto__ as platform', { platform: '__proto__' }, 'platform'],
    ['constructor as processor', { arch: 'constructor' }, 'arch'],
    ['an unknown channel', { channel: 'canary' as 'beta' }, 'channel'],
    ['more than 100 %', { rolloutPercent: 100.01 }, 'rolloutPercent'],
    ['three decimals', { rolloutPercent: 1.001 }, 'rolloutPercent'],
    ['a percent as text', { rolloutPercent: '5' as unknown as number }, 'rolloutPercent'],
    ['from a version that is not below', { version: '2.0.0', minFromVersion: '2.0.0' }, 'minFromVersion'],
    ['an empty entitlement', { requiredEntitlements: [''] }, 'requiredEntitlements.0'],
    ['an unknown field', { state: 'PUBLISHED' } as object, ''],
  ])('refuses %s', async (_name, extra, path) => {
    const input = { productId: world.product.id, version: '0.2.0', ...extra };
    expect(await faultsOf(releases.create(world.own.ctx, input))).toEqual([path]);
  });

  test('refuses a prerelease on stable, an unknown world.product, and that of another tenant', async () => {
    const input = { productId: world.product.id, version: '0.3.0-rc.1' };
    expect(await reasonOf(releases.create(world.own.ctx, input))).toBe('VALIDATION_ERROR CHANNEL_MISMATCH');
    expect(await releases.create(world.own.ctx, { ...input, channel: 'rc' })).toMatchObject({
      channel: 'rc',
    });
    expect(await codeOf(releases.create(world.own.ctx, { ...input, productId: 'nothing' }))).toBe(
      'NOT_FOUND',
    );
    const other = await world.own.otherTenant();
    expect(await codeOf(releases.create(other, { productId: world.product.id, version: '1.0.0' }))).toBe(
      'NOT_FOUND',
    );
  });
});

describe('update', () => {
  test('changes a draft, field by field, and tells what changed', async () => {
    const { id, updatedAt } = await releases.create(world.own.ctx, {
      productId: world.product.id,
      version: '0.4.0',
    });
    world.own.clock.advance(1);
    const changed = await releases.update(world.own.ctx, id, {
      version: '0.4.1',
      channel: 'beta',
      minFromVersion: '0.1.0',
      rolloutPercent: 12.5,
      requiredEntitlements: ['pro', 'pro'],
    });
    expect(changed).toMatchObject({
      version: '0.4.1',
      channel: 'beta',
      minFromVersion: '0.1.0',
      requiredEntitlements: ['pro'],
    });
    expect(changed.rollout.bps).toBe(1250);
    expect(await releases.update(world.own.ctx, id, { minFromVersion: null })).toMatchObject({
      minFromVersion: null,
    });
    const { changes } = await changesBy(world.own.database, () =>
      releases.update(world.own.ctx, id, { channel: 'beta' }),
    );
    expect(changes).toEqual({ events: [], rows: {} });
    const stale = releases.update(world.own.ctx, id, { changelog: 'x' }, { ifMatch: updatedAt });
    expect(await codeOf(stale)).toBe('PRECONDITION_FAILED');
  });

  test('of a published release takes changelog and rollout only; isCritical where no statement tells it', async () => {
    const plain = await published(world.own.ctx, world.product, '1.0.0', { statement: null });
    const stated = await published(world.own.ctx, world.product, '1.0.1');
    const before = await world.releasesVersion();
    expect(
      await releases.update(world.own.ctx, plain.id, { isCritical: true, changelog: 'fixed' }),
    ).toMatchObject({
      isCritical: true,
      changelog: 'fixed',
    });
    expect(await world.releasesVersion()).toBe(before + 1);
    expect(await releases.update(world.own.ctx, stated.id, { rolloutPercent: 5 })).toMatchObject({
      rollout: { bps: 500 },
    });
    const refused = await refusalOf(
      releases.update(world.own.ctx, stated.id, { isCritical: true, arch: 'x64' }),
    );
    expect(refused.details).toMatchObject({ reason: 'NOT_DRAFT', fields: ['arch', 'isCritical'] });
    // The same values again are no change.
    expect(await releases.update(world.own.ctx, stated.id, { version: '1.0.1' })).toMatchObject({
      version: '1.0.1',
    });
  });
});

describe('lists and products', () => {
  test('lists are narrowed and paged, newest first; other tenants see nothing', async () => {
    const other = await signedProduct(world.own.ctx, 'listed');
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
      world.own.clock.advance(1);
      await published(world.own.ctx, other, version);
    }
    await releases.create(world.own.ctx, {
      productId: other.id,
      version: '1.1.0',
      platform: 'linux',
      channel: 'beta',
    });
    const slice = { offset: 0, limit: 2 };
    const listed = { productId: ['listed'], state: ['PUBLISHED'] };
    const page = await releases.releaseRows.page(world.own.ctx, { ...slice, filters: listed });
    expect(page.items.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1']);
    expect(page.total).toBe(3);
    const wanted = { productId: [other.id], platform: 'linux', channel: ['beta'] };
    const linux = await releases.releaseRows.page(world.own.ctx, { ...slice, filters: wanted });
    expect(linux.items.map(({ version }) => version)).toEqual(['1.1.0']);
    const foreign = await releases.releaseRows.page(await world.own.otherTenant(), slice);
    expect(foreign.items).toEqual([]);
  });

  test('the slug of a product is frozen once a release was published (D45), and it cannot be deleted', async () => {
    const other = await signedProduct(world.own.ctx, 'frozen');
    const { id } = await drafted(world.own.ctx, other, '1.0.0', { statement: null });
    await products.update(world.own.ctx, other.id, { slug: 'thawed' });
    expect(await reasonOf(products.remove(world.own.ctx, other.id))).toBe('CONFLICT IN_USE');
    await releases.publish(world.own.ctx, id);
    expect(await reasonOf(products.update(world.own.ctx, other.id, { slug: 'other' }))).toBe(
      'CONFLICT SLUG_FROZEN',
    );
    expect(await products.update(world.own.ctx, other.id, { slug: 'thawed', name: 'New' })).toMatchObject({
      name: 'New',
    });
    await releases.yank(world.own.ctx, id, { reason: 'x' });
    expect(await reasonOf(products.update(world.own.ctx, other.id, { slug: 'other' }))).toBe(
      'CONFLICT SLUG_FROZEN',
    );
  });

  test('a draft is deleted, and its product with it', async () => {
    const other = await products.create(world.own.ctx, { name: 'gone', slug: 'gone' });
    const { id } = await releases.create(world.own.ctx, { productId: other.id, version: '1.0.0' });
    const { changes } = await changesBy(world.own.database, () => releases.remove(world.own.ctx, id));
    expect(changes.events).toEqual(['RELEASE_DELETED']);
    expect(await codeOf(releases.get(world.own.ctx, id))).toBe('NOT_FOUND');
    await products.remove(world.own.ctx, other.id);
  });
});
