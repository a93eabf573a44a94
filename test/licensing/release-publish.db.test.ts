// Publishing: what must be right about a release, and what happens once (D93, 6.3).
import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { activate, register } from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { changesBy } from '../support/database-changes.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { bundleOf, drafted, keyOf, published, signedProduct } from './release-fixture.ts';
import { reasonOf, releaseWorld } from './release-world.ts';

const world = releaseWorld();

describe('publish', () => {
  test('freezes and tells it once, and raises the version of the releases', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '2.0.0');
    const before = await world.releasesVersion();
    const { result, changes } = await changesBy(world.own.database, () =>
      releases.publish(world.own.ctx, id, { rolloutPercent: 10 }),
    );
    expect(result).toMatchObject({
      state: 'PUBLISHED',
      publishedAt: world.own.ctx.now(),
      rollout: { bps: 1000 },
    });
    expect(changes.events).toEqual(['RELEASE_PUBLISHED']);
    expect(await world.releasesVersion()).toBe(before + 1);
    expect((await releases.servableReleases(world.own.ctx, world.product.id)).map((one) => one.id)).toContain(
      id,
    );
    expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('CONFLICT NOT_DRAFT');
    expect(await reasonOf(releases.remove(world.own.ctx, id))).toBe('CONFLICT NOT_DRAFT');
  });

  test('may be for later; a time that has passed means now', async () => {
    const at = '2026-05-01T00:00:00.000Z';
    expect(await published(world.own.ctx, world.product, '2.0.1', { at })).toMatchObject({ publishedAt: at });
    const late = await published(world.own.ctx, world.product, '2.0.2', { at: '2020-01-01T00:00:00Z' });
    expect(late.publishedAt).toBe(world.own.ctx.now());
  });

  test('refuses what is not complete, each with its reason', async () => {
    const make = (version: string) =>
      releases.create(world.own.ctx, { productId: world.product.id, version });
    const { id } = await make('2.1.0');
    expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('CONFLICT NO_BUNDLE');
    await world.attach(id, bundleOf('2.1.0'));
    const { changes } = await changesBy(world.own.database, async () =>
      expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('VERIFICATION_FAILED UNSIGNED'),
    );
    expect(changes).toEqual({ events: [], rows: {} });
    expect(await codeOf(releases.publish(world.own.ctx, 'rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV'))).toBe('NOT_FOUND');
    expect(await codeOf(releases.publish(await world.own.otherTenant(), id))).toBe('NOT_FOUND');
    expect(await faultsOf(releases.publish(world.own.ctx, id, { at: 'tomorrow' }))).toEqual(['at']);
  });

  test('hashes the stored bytes: damaged, cut off or gone ones are refused', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '2.2.0');
    const bytes = bundleOf('editor 2.2.0');
    const damaged = Buffer.from(bytes);
    damaged[7] = (damaged[7] as number) ^ 1;
    writeFileSync(world.stored(bytes), damaged);
    expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('VERIFICATION_FAILED HASH_MISMATCH');
    writeFileSync(world.stored(bytes), bytes.subarray(0, -1));
    expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('VERIFICATION_FAILED HASH_MISMATCH');
    rmSync(world.stored(bytes));
    expect(await reasonOf(releases.publish(world.own.ctx, id))).toBe('CONFLICT FILE_MISSING');
    await world.attach(id, bytes);
    expect(await releases.publish(world.own.ctx, id)).toMatchObject({ state: 'PUBLISHED' });
  });

  test('is rehearsed without keeping others from writing while the bytes are read', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '2.4.0');
    const { runtime, ctx } = world.own;
    const opened: unknown[] = [];
    const open: typeof runtime.storage.open = async (location) => {
      opened.push(await products.update(ctx, world.product.id, { metadata: { read: location } }));
      return runtime.storage.open(location);
    };
    const reading = createContext({ ...runtime, storage: { ...runtime.storage, open } }, ctx.tenantId);
    const planned = await releases.publish(rehearsing(reading), id);
    expect([planned.state, opened.length > 0]).toEqual(['PUBLISHED', true]);
    expect(await releases.get(ctx, id)).toMatchObject({ state: 'DRAFT' });
  });

  test('takes the ACTIVE key only', async () => {
    const other = await signedProduct(world.own.ctx, 'rotated');
    const { keyId } = await register(world.own.ctx, other, {
      publicKey: keyOf(2).publicKey,
      seed: null,
      label: null,
    });
    const early = await drafted(world.own.ctx, other, '1.0.0', { key: keyOf(2) });
    expect(await reasonOf(releases.publish(world.own.ctx, early.id))).toBe('VERIFICATION_FAILED WRONG_KEY');
    const late = await drafted(world.own.ctx, other, '1.0.1');
    await activate(world.own.ctx, keyId);
    expect(await reasonOf(releases.publish(world.own.ctx, late.id))).toBe('VERIFICATION_FAILED WRONG_KEY');
    expect(await releases.publish(world.own.ctx, early.id)).toMatchObject({ keyId });
    const none = await products.create(world.own.ctx, { name: 'n', slug: 'no-key' });
    const unsigned = await drafted(world.own.ctx, none, '1.0.0');
    expect(unsigned).toMatchObject({ sequence: null });
    expect(await reasonOf(releases.publish(world.own.ctx, unsigned.id))).toBe('CONFLICT NO_ACTIVE_KEY');
    await register(world.own.ctx, none, { publicKey: keyOf().publicKey, seed: null, label: null });
    expect(await releases.publish(world.own.ctx, unsigned.id)).toMatchObject({ sequence: 1_000_000 });
  });

  test('demands a statement where the product does, 7 days of life, and a rising sequence on its line', async () => {
    const strict = await signedProduct(world.own.ctx, 'strict', { statementRequired: true });
    const publish = async (version: string, statement: object | null, more: object = {}) =>
      releases.publish(
        world.own.ctx,
        (await drafted(world.own.ctx, strict, version, { statement, ...more })).id,
      );
    expect(await reasonOf(publish('1.0.0', null))).toBe('VERIFICATION_FAILED STATEMENT_REQUIRED');
    expect(await reasonOf(publish('1.0.1', { statementDays: 7 }))).toBe(
      'VERIFICATION_FAILED STATEMENT_EXPIRES_SOON',
    );
    expect(await publish('1.0.2', { statementDays: 8, sequence: 5 })).toMatchObject({ sequence: 5 });
    expect(await reasonOf(publish('1.0.3', { sequence: 4 }))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await reasonOf(publish('1.0.4', { sequence: 5 }))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await publish('1.0.5', { sequence: 4 }, { platform: 'linux' })).toMatchObject({ sequence: 4 });
    expect(await publish('1.0.6', { sequence: 4 }, { channel: 'beta' })).toMatchObject({ sequence: 4 });
    // Who has installed a withdrawn release remembers its sequence.
    const last = await publish('1.0.7', { sequence: 9 });
    await releases.yank(world.own.ctx, last.id, { reason: 'broken' });
    expect(await reasonOf(publish('1.0.8', { sequence: 8 }))).toBe('CONFLICT SEQUENCE_NOT_RISING');
  });

  test('sequences rise in the order in which clients meet the releases, scheduled ones among them', async () => {
    const other = await signedProduct(world.own.ctx, 'scheduled');
    const at = '2026-03-09T00:00:00.000Z';
    const publish = (version: string, sequence: number, more: object = {}) =>
      published(world.own.ctx, other, version, { statement: { sequence }, ...more });
    await publish('2.9.0', 10);
    await publish('3.0.0', 20, { at });
    // Who installed it in the meantime would refuse 3.0.0 as a step back.
    expect(await reasonOf(publish('2.9.1', 21))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await reasonOf(publish('2.9.2', 10))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await publish('2.9.3', 19)).toMatchObject({ state: 'PUBLISHED' });
    expect(await reasonOf(publish('3.0.1', 18))).toBe('CONFLICT SEQUENCE_NOT_RISING');
    expect(await publish('3.0.2', 22, { at })).toMatchObject({ state: 'PUBLISHED' });
  });

  test('a draft that changed after it was signed differs from its statement', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '2.3.0');
    await releases.update(world.own.ctx, id, { isCritical: true });
    const refused = await refusalOf(releases.publish(world.own.ctx, id));
    expect(refused.details).toMatchObject({ reason: 'STATEMENT_MISMATCH', fields: ['isCritical'] });
  });
});
