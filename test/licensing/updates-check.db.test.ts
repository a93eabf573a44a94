// GET /api/v1/updates/check: what is asked and answered, signed and counted (spec; D85 to D89, licensing 6.3).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { flushCounts } from '#licensing/releases/updates/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { delegatedKey, signedBy } from '../support/offline-token.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { bundleOf, keyOf, published, signedProduct } from './release-fixture.ts';
import { refused, updateRequests } from './updates.ts';

let app: TestApp;
let send: ReturnType<typeof updateRequests>;
let product: products.Product;
let key: string;
let second: releases.Release;
beforeAll(async () => {
  app = await startApp();
  send = updateRequests(app);
  product = await signedProduct(app.ctx, 'reader');
  await published(app.ctx, product, '1.1.0', { statement: null });
  second = await published(app.ctx, product, '1.2.0', { changelog: 'Zoë 🦊', isCritical: true });
  key = (await app.license({ productId: product.id })).key;
});
afterAll(() => app.close());

let made = 0;
const newProduct = (extra: Parameters<typeof signedProduct>[2] = {}) => {
  made += 1;
  return signedProduct(app.ctx, `product-${made}`, extra);
};

describe('an answer', () => {
  it('with an update carries the documented fields, and the statement', async () => {
    const { result, changes } = await app.changesBy(() => send.check(key, { current_version: 'v1.0.0' }));
    const sha256 = createHash('sha256').update(bundleOf('reader 1.2.0')).digest('hex');
    expect([result.status, result.body]).toEqual([
      200,
      {
        success: true,
        update_available: true,
        version: '1.2.0',
        changelog: 'Zoë 🦊',
        bundle_size: bundleOf('reader 1.2.0').length,
        sha256,
        signature: keyOf().sign(Buffer.from(sha256, 'hex')).toString('base64'),
        is_critical: true,
        requires_migration: false,
        published_at: app.ctx.now(),
        release_id: second.id,
        key_id: keyOf().keyId,
        statement: second.statement,
        statement_signature: second.statementSignature,
        sequence: 1_002_000,
      },
    ]);
    expect(changes).toEqual(nothing);
  });

  it('of a release without a statement has no field of it', async () => {
    const other = await newProduct();
    await published(app.ctx, other, '2.0.0', { statement: null });
    const { body } = await send.check((await app.license({ productId: other.id })).key);
    expect(Object.keys(body)).not.toContain('statement');
    expect(Object.keys(body)).not.toContain('sequence');
  });

  it('without an update names version and channel (D87)', async () => {
    const { body } = await send.check(key, { current_version: 'v1.2.0+build', channel: 'beta' });
    expect(body).toEqual({
      success: true,
      update_available: false,
      current_version: '1.2.0+build',
      channel: 'beta',
    });
    const { key: barred } = await app.license({ productId: product.id, maxVersion: '1.0' });
    expect((await send.check(barred)).body).toEqual({
      success: true,
      update_available: false,
      current_version: '1.0.0',
      channel: 'stable',
      newer_version_not_allowed: '1.2.0',
    });
  });

  it('is another one right after the releases have changed', async () => {
    const other = await newProduct();
    const { key: own } = await app.license({ productId: other.id });
    const offered = async (query = {}) => (await send.check(own, query)).body.version ?? null;
    expect(await offered()).toBeNull();
    const one = await published(app.ctx, other, '1.1.0');
    const two = await published(app.ctx, other, '1.2.0');
    expect(await offered()).toBe('1.2.0');
    await releases.yank(app.ctx, two.id, { reason: 'broken' });
    expect(await offered()).toBe('1.1.0');
    await releases.unyank(app.ctx, two.id);
    expect(await offered()).toBe('1.2.0');
    await releases.rollout(app.ctx, two.id, { percent: 0 });
    expect(await offered()).toBe('1.1.0');
    await releases.archive(app.ctx, one.id);
    expect(await offered()).toBeNull();
  });

  it('follows the clock for what is scheduled', async () => {
    const other = await newProduct();
    const { key: own } = await app.license({ productId: other.id });
    const at = new Date(app.clock.epochMs() + 60_000).toISOString();
    const { id } = await published(app.ctx, other, '2.0.0', { at });
    expect((await send.check(own)).body.update_available).toBe(false);
    expect(refused(await send.manifest(own, id))).toEqual([404, 'NOT_FOUND']);
    app.clock.advance(60);
    expect((await send.check(own)).body.release_id).toBe(id);
    expect((await send.manifest(own, id)).status).toBe(200);
  });
});

describe('what a caller says of itself', () => {
  it('is its machine, in the query or a header, else its license: the rollout goes by it (6.4)', async () => {
    const other = await newProduct();
    const { id } = await published(app.ctx, other, '2.0.0', { rolloutPercent: 50 });
    const machines = Array.from({ length: 12 }, (_, n) => `machine-${n}-of-ann`);
    const { id: licenseId, key: own } = await app.license({ productId: other.id });
    const expected = (subject: string) => releases.inRollout(id, subject, 5000);
    expect((await send.check(own)).body.update_available).toBe(expected(licenseId));
    for (const machine of machines) {
      const inQuery = await send.check(own, { machine_id: machine }, { 'X-Machine-Id': 'machine-other' });
      const inHeader = await send.check(own, {}, { 'X-Machine-Id': machine });
      expect([inQuery, inHeader].map(({ body }) => body.update_available)).toEqual([
        expected(machine),
        expected(machine),
      ]);
    }
  });

  it('is its platform by a name or an alias, and the keys that it knows', async () => {
    const other = await newProduct();
    await published(app.ctx, other, '2.0.0', { platform: 'windows', arch: 'x64' });
    await published(app.ctx, other, '2.1.0', { platform: 'darwin', arch: 'universal' });
    const { key: own } = await app.license({ productId: other.id });
    const asked = async (query: Record<string, string>) =>
      (await send.check(own, query)).body.version ?? null;
    expect(await asked({ platform: 'win32', arch: 'x86_64' })).toBe('2.0.0');
    expect(await asked({ platform: 'macos', arch: 'aarch64' })).toBe('2.1.0');
    expect(await asked({ platform: 'linux', arch: 'x64' })).toBeNull();
    expect(await asked({})).toBeNull();
    expect(await asked({ platform: '', arch: '' })).toBeNull();
    const windows = { platform: 'windows', arch: 'x64' };
    expect(await asked({ ...windows, key_ids: `0123456789abcdef,${keyOf().keyId}` })).toBe('2.0.0');
    expect(await asked({ ...windows, key_ids: '0123456789abcdef' })).toBeNull();
  });

  it('opens prereleases of a product that asks for BETA or the feature (D71)', async () => {
    const other = await newProduct({ prereleaseNeedsBeta: true });
    const { id } = await published(app.ctx, other, '2.0.0-beta.1', { channel: 'beta' });
    const offered = async (extra: object) => {
      const { key: own } = await app.license({ productId: other.id, ...extra });
      const { body } = await send.check(own, { channel: 'beta' });
      return [body.update_available, (await send.manifest(own, id)).status];
    };
    expect(await offered({})).toEqual([false, 404]);
    expect(await offered({ features: { prerelease: true } })).toEqual([true, 200]);
    expect(await offered({ type: 'BETA', validUntil: null })).toEqual([true, 200]);
  });
});

describe('bad input', () => {
  const long = '1'.repeat(50_000);
  it.each<[string, Record<string, string>]>([
    ['no version', { current_version: '' }],
    ['a version with blanks', { current_version: ' 1.0.0' }],
    ['two parts', { current_version: '1.0' }],
    ['a version that is a path', { current_version: '../../etc/passwd' }],
    ['absurd numbers', { current_version: '99999999999999999999.0.0' }],
    ['a version of fifty thousand digits', { current_version: `1.0.${long}`.slice(0, 8000) }],
    ['a text that would make a pattern try for ever', { current_version: `1.0.0-${'0-'.repeat(3000)}!` }],
    ['another of them', { current_version: `1.0.0-${'a.'.repeat(3000)}_` }],
    ['U+0000', { current_version: '1.0.0\0' }],
    ['a channel that there is not', { channel: 'Stable' }],
    ['__proto__ as a channel', { channel: '__proto__' }],
    ['a platform that there is not', { platform: 'toString' }],
    ['a processor that there is not', { arch: 'z80' }],
    ['a short machine', { machine_id: '1234567' }],
    ['a long machine', { machine_id: 'm'.repeat(256) }],
    ['eleven keys', { key_ids: Array(11).fill('0123456789abcdef').join() }],
    ['a key of another form', { key_ids: '0123456789ABCDEF' }],
    ['a short nonce', { nonce: 'short' }],
  ])('%s is 400', async (_name, query) => {
    const reply = await send.check(key, query);
    expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('a repeated parameter is 400, and a missing version names the field', async () => {
    const headers = { 'X-License-Key': key };
    const twice = await app.get(
      '/api/v1/updates/check?current_version=1.0.0&current_version=2.0.0',
      undefined,
      headers,
    );
    expect(refused(twice)).toEqual([400, 'VALIDATION_ERROR']);
    const { body } = await app.get('/api/v1/updates/check', undefined, headers);
    expect(body.error?.details?.issues?.[0]).toMatchObject({ path: 'current_version', rule: 'required' });
  });

  it.each(['1.0.0', 'v1.0.0', '1.0.0-alpha.1+build.5', `1.0.0-${'a'.repeat(94)}`, '0.0.0'])(
    '%s is a version',
    async (current_version) => {
      expect((await send.check(key, { current_version })).status).toBe(200);
    },
  );
});

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const claimsIn = (token: unknown) =>
  JSON.parse(Buffer.from(/^timestamp\/([^.]+)/.exec(String(token))?.[1] ?? '', 'base64url').toString());

describe('signatures', () => {
  it('the timestamp token names question and answer; the nonce has the answer signed as well', async () => {
    const other = await newProduct();
    const signer = await delegatedProduct(app.ctx, other);
    const release = await published(app.ctx, other, '2.0.0', { key: keyOf() });
    const { key: own } = await app.license({ productId: other.id });
    const nonce = 'abcdefghijklmnop';
    const asked = { nonce, platform: 'win32', arch: 'amd64', channel: 'beta', current_version: 'v1.0.0' };
    const { keyId } = keyOf();
    const reply = await send.check(own, { ...asked, machine_id: 'machine-0001', key_ids: keyId });
    expect(reply.headers['x-response-signature']).toMatch(/^v1;kid=/);
    expect(reply.body.nonce).toBe(nonce);
    const token = String(reply.body.timestamp_token);
    const [message = '', signature = '', ...delegation] = token.split('.');
    const now = Date.parse(app.ctx.now()) / 1000;
    const client = { rootKeys: [signer.root.publicKey], product: other.slug, now };
    const publicKey = delegatedKey(delegation.join('.'), 'timestamp', client);
    const signatureBytes = Buffer.from(signature, 'base64url');
    expect(publicKey && signedBy(publicKey, message, signatureBytes)).toBe(true);
    expect(claimsIn(token)).toEqual({
      v: 1,
      kid: signer.keyId,
      prd: other.slug,
      ch: 'beta',
      plat: 'windows',
      arch: 'x64',
      cur: '1.0.0',
      ask: digestOf(`${own}\n${keyId}\nmachine-0001`),
      offer: '2.0.0',
      seq: 2_000_000,
      sts: digestOf(String(release.statement)),
      nonce,
      iat: now,
      exp: now + 86_400,
    });
    const { body } = await send.check(own, { current_version: '2.0.0' });
    const none = { offer: null, seq: null, sts: null, nonce: null, plat: '', arch: '' };
    expect(claimsIn(body.timestamp_token)).toMatchObject({ ...none, ask: digestOf(`${own}\n\n`) });
  });
});

describe('a refusal', () => {
  it('is signed as well where a nonce asks for it (6.13)', async () => {
    const other = await newProduct();
    await delegatedProduct(app.ctx, other);
    const { key: own } = await app.license({ productId: other.id, validUntil: app.ctx.now(), force: true });
    const reply = await send.check(own, { nonce: 'abcdefghijklmnop' });
    expect([...refused(reply), reply.headers['x-response-signature']]).toEqual([
      401,
      'INVALID_LICENSE',
      expect.stringMatching(/^v1;kid=/),
    ]);
  });
});

describe('what is counted', () => {
  it('is written behind: checks of what would be offered, offers of what was, at most 200 versions by name', async () => {
    const other = await newProduct();
    const all = await published(app.ctx, other, '1.1.0');
    const staged = await published(app.ctx, other, '2.0.0', { rolloutPercent: 0 });
    const { key: own } = await app.license({ productId: other.id });
    const counts = async (id: string) => (await releases.stats(app.ctx, id)).fromVersions;
    await send.check(own);
    await send.check(own, { current_version: '1.1.0' });
    expect(await app.changesBy(() => send.check(own))).toMatchObject({ changes: nothing });
    expect(await flushCounts(app.ctx)).toBeGreaterThanOrEqual(3);
    await send.check(own);
    await flushCounts(app.ctx);
    const row = { fromVersion: '1.0.0', downloads: 0 };
    expect(await counts(all.id)).toEqual([{ ...row, checks: 3, offers: 3 }]);
    expect(await counts(staged.id)).toEqual([
      { ...row, checks: 3, offers: 0 },
      { ...row, fromVersion: '1.1.0', checks: 1, offers: 0 },
    ]);
    await Promise.all(
      Array.from({ length: 205 }, (_, n) => send.check(own, { current_version: `0.0.${n}` })),
    );
    await flushCounts(app.ctx);
    const named = await counts(all.id);
    expect(named).toHaveLength(201);
    expect(named.find(({ fromVersion }) => fromVersion === '')).toMatchObject({ checks: 6, offers: 6 });
  });
});
