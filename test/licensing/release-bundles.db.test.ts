// Bundles and signatures of releases: what is taken, and what is refused with which reason (D93, D96, 6.3).
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';
import { bundleOf, drafted, keyOf, published, signed, signedProduct, sourceOf } from './release-fixture.ts';
import { reasonOf, releaseWorld } from './release-world.ts';

const world = releaseWorld();

describe('bundle', () => {
  test('is stored by its digest, with a name of its own', async () => {
    const bytes = bundleOf('bundle 1');
    const { id } = await releases.create(world.own.ctx, {
      productId: world.product.id,
      version: '0.5.0',
      platform: 'linux',
    });
    expect(await world.attach(id, bytes, null)).toMatchObject({
      bundleFilename: 'editor-0.5.0-linux.bin',
      bundleSize: bytes.length,
      bundleSha256: createHash('sha256').update(bytes).digest('hex'),
      bundleSha512: createHash('sha512').update(bytes).digest('base64'),
    });
    expect(readFileSync(world.stored(bytes))).toEqual(bytes);
    expect(await world.attach(id, bytes, 'C:\\build\\Ünïted 1.zip')).toMatchObject({
      bundleFilename: 'Ünïted 1.zip',
    });
    expect(await world.attach(id, bytes, '../../etc/passwd')).toMatchObject({ bundleFilename: 'passwd' });
    for (const name of ['..', 'a/', 'a\r\nb', 'a\0b', 'x'.repeat(256)])
      expect(await faultsOf(world.attach(id, bytes, name))).toEqual(['filename']);
    expect(await codeOf(world.attach(id, Buffer.alloc(0)))).toBe('VALIDATION_ERROR');
    expect(await refusalOf(world.attach(id, randomBytes(1_000_001)))).toMatchObject({
      code: 'VALIDATION_ERROR',
      status: 413,
    });
    expect(await codeOf(world.attach('rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV', bytes))).toBe('NOT_FOUND');
  });

  test('another one makes the signature of the first go; the same one keeps it', async () => {
    const { id } = await drafted(world.own.ctx, world.product, '0.5.1');
    expect(await world.attach(id, bundleOf('editor 0.5.1'))).toMatchObject({ sequence: 5001 });
    expect(await world.attach(id, bundleOf('something else'))).toMatchObject({
      signature: null,
      statement: null,
      keyId: null,
    });
  });

  test('must fit the signature that came first', async () => {
    const { id } = await releases.create(world.own.ctx, { productId: world.product.id, version: '0.5.2' });
    const bytes = bundleOf('first');
    await releases.attachSignature(world.own.ctx, id, signed(bytes));
    expect(await reasonOf(world.attach(id, bundleOf('second')))).toBe('VERIFICATION_FAILED BAD_SIGNATURE');
    expect(await world.attach(id, bytes)).toMatchObject({ keyId: keyOf().keyId });
    expect(await releases.publish(world.own.ctx, id)).toMatchObject({ state: 'PUBLISHED' });
  });

  test('of a published release takes the same bytes only, and puts them back', async () => {
    const { id } = await published(world.own.ctx, world.product, '1.1.0');
    const bytes = bundleOf('editor 1.1.0');
    expect(await reasonOf(world.attach(id, bundleOf('other')))).toBe('CONFLICT NOT_DRAFT');
    rmSync(world.stored(bytes));
    const release = await world.attach(id, bytes, 'renamed.zip');
    expect(release).toMatchObject({ state: 'PUBLISHED', bundleFilename: 'app-1.1.0.zip' });
    expect(readFileSync(world.stored(bytes))).toEqual(bytes);
  });
});

test('bundle of a release that is published in the same millisecond, while they come, is refused', async () => {
  const { id } = await drafted(world.own.ctx, world.product, '0.5.3', { statement: null });
  async function* source() {
    yield bundleOf('late');
    await releases.publish(world.own.ctx, id);
  }
  const late = releases.attachBundle(world.own.ctx, id, { filename: null, source: source() });
  expect(await reasonOf(late)).toBe('CONFLICT CHANGED_MEANWHILE');
  expect(await releases.get(world.own.ctx, id)).toMatchObject({ state: 'PUBLISHED', keyId: keyOf().keyId });
});

test('bundle that was awaited since an import is offered by every product once it is there, and not before', async () => {
  const { ctx, database, runtime } = world.own;
  const bytes = bundleOf('imported');
  const other = await signedProduct(ctx, 'other');
  const one = await published(ctx, world.product, '7.0.0', { bytes });
  await published(ctx, other, '7.0.0', { bytes });
  await ctx.tx((ctx) =>
    ctx.db.knex('license_bundles').where({ sha256: one.bundleSha256 }).update({ removed_at: ctx.now() }),
  );
  rmSync(world.stored(bytes));
  const versionsOf = async () => {
    const rows = await database.db
      .knex('license_products')
      .whereIn('slug', ['editor', 'other'])
      .orderBy('slug');
    return rows.map(({ releases_version }) => Number(releases_version));
  };
  const offered = async () =>
    (await releases.servableReleases(ctx, other.id)).map(({ version }) => version).join();
  const before = await versionsOf();
  const full = {
    ...runtime.storage,
    stage: async (...sent: Parameters<typeof runtime.storage.stage>) => {
      const staged = await runtime.storage.stage(...sent);
      return { ...staged, keep: () => Promise.reject(new Error('no room')) };
    },
  };
  const failing = createContext({ ...runtime, storage: full }, ctx.tenantId);
  const sent = () => ({ filename: null, source: sourceOf(bytes) });
  await expect(releases.attachBundle(failing, one.id, sent())).rejects.toThrow('no room');
  expect([await offered(), await versionsOf()]).toEqual(['', before]);
  await releases.attachBundle(ctx, one.id, sent());
  expect(await offered()).toBe('7.0.0');
  for (const [n, version] of (await versionsOf()).entries()) expect(version).toBeGreaterThan(before[n] ?? 0);
});

describe('signature', () => {
  const said = { product: 'editor', version: '0.6.0', sequence: 6000 };
  let id: string;
  const bytes = bundleOf('signed');
  const sign = (sent: releases.SignatureSent) => releases.attachSignature(world.own.ctx, id, sent);
  beforeAll(async () => {
    ({ id } = await releases.create(world.own.ctx, { productId: world.product.id, version: '0.6.0' }));
    await world.attach(id, bytes);
  });

  test('finds its key, and replaces all of an earlier one', async () => {
    const { keyId, ...sent } = signed(bytes, said);
    const full = await sign({ ...sent, extra: { tauri: 'YWJj' } });
    expect(full).toMatchObject({ keyId, sequence: 6000, extraSignatures: { tauri: 'YWJj' } });
    expect(full.statementExpiresAt).toBe('2027-04-05T12:00:00.000Z');
    const bare = await sign(signed(bytes));
    expect(bare).toMatchObject({
      statement: null,
      sequence: null,
      statementExpiresAt: null,
      extraSignatures: {},
    });
  });

  test.each<[string, () => releases.SignatureSent, string]>([
    ['of other bytes', () => signed(bundleOf('other')), 'BAD_SIGNATURE'],
    ['over the hex text (D96)', () => signed(Buffer.from('x')), 'BAD_SIGNATURE'],
    ['of an unknown key', () => signed(bytes, null, { key: keyOf(9) }), 'WRONG_KEY'],
    [
      'of an unknown key that does not say so',
      () => ({ signature: signed(bytes, null, { key: keyOf(9) }).signature }),
      'BAD_SIGNATURE',
    ],
    [
      'with a statement of another key',
      () => ({ ...signed(bytes, said, { key: keyOf(9) }), ...signed(bytes) }),
      'STATEMENT_INVALID',
    ],
    [
      'with a statement for another version',
      () => signed(bytes, { ...said, version: '0.6.1' }),
      'STATEMENT_MISMATCH',
    ],
    [
      'with a statement for another channel',
      () => signed(bytes, { ...said, channel: 'beta' }),
      'STATEMENT_MISMATCH',
    ],
    [
      'with a statement for another product',
      () => signed(bytes, { ...said, product: 'other' }),
      'STATEMENT_MISMATCH',
    ],
    [
      'with a statement for another target',
      () => signed(bytes, { ...said, arch: 'x64' }),
      'STATEMENT_MISMATCH',
    ],
    [
      'with a statement that is critical',
      () => signed(bytes, { ...said, isCritical: true }),
      'STATEMENT_MISMATCH',
    ],
    [
      'with a statement of other bytes',
      () => ({ ...signed(bundleOf('x'), said), signature: signed(bytes).signature }),
      'STATEMENT_MISMATCH',
    ],
  ])('%s is refused', async (_name, sent, reason) => {
    expect(await reasonOf(sign(sent()))).toBe(`VERIFICATION_FAILED ${reason}`);
  });

  test('of the wrong form is refused, and a statement without its signature', async () => {
    const good = signed(bytes, said);
    expect(await faultsOf(sign({ ...good, signature: `${good.signature.slice(0, -3)}===` }))).toEqual([
      'signature',
    ]);
    expect(await faultsOf(sign({ ...good, statementSignature: undefined }))).toEqual(['statement']);
    expect(await faultsOf(sign({ ...good, keyId: 'ABC' }))).toEqual(['keyId']);
    expect(await faultsOf(sign({ ...good, statement: 'release/$' }))).toEqual(['statement']);
  });
});
