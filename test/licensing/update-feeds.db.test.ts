// Feeds of Tauri and electron-updater, and the public key (licensing 6.12; spec; D95, D98, D99).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { publicKeyFromDer, publicKeyFromPem } from '#kernel/ed25519.ts';
import { activate, rotate } from '#licensing/catalog/keys/index.ts';
import type * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { bundleOf, drafted, keyOf, published, signed, signedProduct } from './release-fixture.ts';
import { refused, updateRequests } from './updates.ts';

let app: TestApp;
let send: ReturnType<typeof updateRequests>;
let product: products.Product;
let key: string;
beforeAll(async () => {
  app = await startApp();
  send = updateRequests(app);
  product = await signedProduct(app.ctx, 'reader');
  key = (await app.license({ productId: product.id })).key;
});
afterAll(() => app.close());

const TAURI_SIGNATURE = Buffer.from('untrusted comment: signature\n').toString('base64');
const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('base64');
const targets = (platform: string, arch: string) => ({ platform, arch, statement: null });

describe('the feed of Tauri', () => {
  const ask = (target: string, version = '1.0.0', path = `${product.slug}/stable`) =>
    send.get(`feeds/tauri/${path}/${target}/${version}`, key);

  it('names version, address, signature, notes and date, and answers 204 without a newer one', async () => {
    const bytes = bundleOf('reader for windows');
    const { id } = await drafted(app.ctx, product, '2.0.0', {
      ...targets('windows', 'x64'),
      bytes,
      changelog: 'Zoë',
    });
    const { signature } = signed(bytes);
    await releases.attachSignature(app.ctx, id, { signature, extra: { tauri: TAURI_SIGNATURE } });
    await releases.publish(app.ctx, id, {});
    await published(app.ctx, product, '2.1.0', targets('windows', 'x64'));
    const reply = await ask('windows/x86_64');
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        success: true,
        version: '2.0.0',
        url: `${app.ctx.baseUrl}/api/v1/updates/feeds/files/${id}/app-2.0.0.zip`,
        signature: TAURI_SIGNATURE,
        notes: 'Zoë',
        pub_date: app.ctx.now(),
      },
    ]);
    const file = await send.get(`feeds/files/${id}/app-2.0.0.zip`, key);
    expect([file.status, file.text]).toEqual([200, bytes.toString()]);
    for (const [target, version] of [
      ['windows/x64', '2.0.0'],
      ['windows/arm64'],
      ['darwin/aarch64'],
    ] as const) {
      const none = await ask(target, version);
      expect([target, none.status, none.text, none.headers['content-length']]).toEqual([
        target,
        204,
        '',
        undefined,
      ]);
    }
  });

  it('refuses what updates/check refuses, and another product as a foreign license', async () => {
    for (const path of ['writer/stable', 'prd_x/stable']) {
      expect(refused(await ask('windows/x64', '1.0.0', path))).toEqual([401, 'INVALID_LICENSE']);
    }
    for (const path of ['reader/Stable', 'reader/latest']) {
      expect(refused(await ask('windows/x64', '1.0.0', path))).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect(refused(await ask('windows/x64', '1.0'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused(await ask('plan9/x64'))).toEqual([400, 'VALIDATION_ERROR']);
    const nobody = await send.get(`feeds/tauri/${product.slug}/stable/windows/x64/1.0.0`, null);
    expect(refused(nobody)).toEqual([401, 'INVALID_LICENSE']);
  });
});

describe('the feed of electron-updater', () => {
  let other: products.Product;
  let own: string;
  const builds = [
    ['windows', 'x64'],
    ['windows', 'arm64'],
    ['darwin', 'universal'],
    ['linux', 'x64'],
    ['linux', 'arm64'],
  ] as const;
  const made = new Map<string, releases.Release>();
  beforeAll(async () => {
    other = await signedProduct(app.ctx, 'writer');
    own = (await app.license({ productId: other.id })).key;
    for (const [platform, arch] of builds) {
      const bytes = bundleOf(`writer for ${platform} ${arch}`);
      const build = { ...targets(platform, arch), bytes, changelog: 'a: [b]\n#c' };
      made.set(`${platform} ${arch}`, await published(app.ctx, other, '3.0.0', build));
    }
    await published(app.ctx, other, '2.9.0', targets('windows', 'ia32'));
  });
  const ask = (file: string, channel = 'stable', slug = 'writer') =>
    send.get(`feeds/electron/${slug}/${channel}/${file}`, own);

  it.each([
    ['latest.yml', ['windows x64', 'windows arm64']],
    ['stable.yml', ['windows x64', 'windows arm64']],
    ['latest-mac.yml', ['darwin universal']],
    ['latest-linux.yml', ['linux x64']],
    ['latest-linux-arm64.yml', ['linux arm64']],
  ])('%s names the newest version and a file for each processor', async (file, names) => {
    const reply = await ask(file);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/yaml; charset=utf-8']);
    const files = names.map((name) => {
      const bytes = bundleOf(`writer for ${name}`);
      const url = `${app.ctx.baseUrl}/api/v1/updates/feeds/files/${made.get(name)?.id}/app-3.0.0.zip`;
      return { url, sha512: sha512(bytes), size: bytes.length };
    });
    // As that client reads it: YAML 1.1 has dates, which these texts must not become.
    expect(parse(reply.text, { version: '1.1' })).toEqual({
      version: '3.0.0',
      files,
      path: files[0]?.url,
      sha512: files[0]?.sha512,
      releaseDate: made.get(names[0] ?? '')?.publishedAt,
      releaseNotes: 'a: [b]\n#c',
    });
  });

  it('offers a beta on its channel alone, under its name or as latest', async () => {
    await published(app.ctx, other, '4.0.0-beta.1', { ...targets('linux', 'x64'), channel: 'beta' });
    for (const [file, channel, version] of [
      ['beta-linux.yml', 'beta', '4.0.0-beta.1'],
      ['latest-linux.yml', 'beta', '4.0.0-beta.1'],
      ['latest-linux.yml', 'stable', '3.0.0'],
    ] as const) {
      expect([file, channel, parse((await ask(file, channel)).text).version]).toEqual([
        file,
        channel,
        version,
      ]);
    }
  });

  it.each([
    'beta-linux.yml',
    'latest-linux-ia32.yml',
    'latest.yaml',
    'latest',
    '.yml',
    'latest-mac.yml.blockmap',
    'latest__proto__',
  ])('answers 404 for %s', async (file) => {
    expect(refused(await ask(file))).toEqual([404, 'NOT_FOUND']);
  });

  it('answers 404 without a release, and 401 for another product', async () => {
    const empty = await signedProduct(app.ctx, 'empty');
    const { key: none } = await app.license({ productId: empty.id });
    expect(refused(await send.get('feeds/electron/empty/stable/latest.yml', none))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(refused(await ask('latest.yml', 'stable', 'reader'))).toEqual([401, 'INVALID_LICENSE']);
  });

  it('sends files under their own name alone; a block map is none (6.12)', async () => {
    const id = made.get('linux x64')?.id;
    expect((await send.get(`feeds/files/${id}/app-3.0.0.zip`, own)).status).toBe(200);
    for (const name of ['app-3.0.0.zip.blockmap', 'other.zip', '..%2fapp-3.0.0.zip', 'APP-3.0.0.zip']) {
      expect(refused(await send.get(`feeds/files/${id}/${name}`, own))).toEqual([404, 'NOT_FOUND']);
    }
    expect(refused(await send.get(`feeds/files/${id}/app-3.0.0.zip`, key))).toEqual([401, 'INVALID_LICENSE']);
    for (const odd of ['a.b', '..%2f..%2fetc', '%00', 'r'.repeat(200)])
      expect(refused(await send.get(`feeds/files/${odd}/app-3.0.0.zip`, own))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the public key', () => {
  const ask = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    send.get('public-key', null, query, headers);

  it('comes as PEM, raw and DER, which hold the same key (D95)', async () => {
    const { publicKey, keyId } = keyOf();
    const pem = (await ask({ product: 'reader' })).body;
    expect(pem).toEqual({
      success: true,
      public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      algorithm: 'Ed25519',
      key_id: keyId,
      public_key_raw: publicKey.toString('base64'),
      public_key_der: expect.any(String),
      keys: [
        {
          key_id: keyId,
          status: 'ACTIVE',
          public_key_raw: publicKey.toString('base64'),
          created_at: app.ctx.now(),
        },
      ],
    });
    const { public_key, public_key_raw, public_key_der } = pem as unknown as Record<string, string>;
    expect([public_key, public_key_raw, public_key_der].map((text) => text?.length)).toEqual([113, 44, 60]);
    expect(public_key?.split('\n')[1]).toBe(public_key_der);
    expect(publicKeyFromPem(String(public_key))).toEqual(publicKey);
    expect(publicKeyFromDer(Buffer.from(String(public_key_der), 'base64'))).toEqual(publicKey);
    for (const [format, text] of [
      ['pem', public_key],
      ['raw', public_key_raw],
      ['der', public_key_der],
    ]) {
      expect((await ask({ product: 'reader', format: String(format) })).body.public_key).toBe(text);
    }
  });

  it('lists the keys to come with the word of the key before, and those that have gone (D98)', async () => {
    const rotated = await signedProduct(app.ctx, 'rotated', {}, keyOf(1));
    const activateAt = new Date(app.clock.epochMs() + 3_600_000).toISOString();
    const next = { publicKey: keyOf(2).publicKey, seed: null, label: null };
    const { continuity } = await rotate(app.ctx, rotated, { next, activateAt, old: keyOf(1) });
    const keysOf = async () => (await ask({ product: 'rotated' })).body;
    const created_at = app.ctx.now();
    const shown = (n: number) => ({
      key_id: keyOf(n).keyId,
      public_key_raw: keyOf(n).publicKey.toString('base64'),
      created_at,
    });
    expect(await keysOf()).toMatchObject({
      key_id: keyOf(1).keyId,
      keys: [
        { ...shown(1), status: 'ACTIVE' },
        { ...shown(2), status: 'NEXT', activate_at: activateAt, continuity },
      ],
    });
    await activate(app.ctx, keyOf(2).keyId, rotated.id);
    const after = await keysOf();
    expect([after.key_id, after.keys]).toEqual([
      keyOf(2).keyId,
      [
        { ...shown(2), status: 'ACTIVE', continuity },
        { ...shown(1), status: 'RETIRED' },
      ],
    ]);
  });

  it('is of the tenant that is named, else of the host name, else of default (D99)', async () => {
    const slug = 'acme';
    const acme = await tenants.create(app.ctx, { slug, name: 'Acme', hostnames: ['keys.acme.example'] });
    const ctx = app.ctx.with({ tenantId: acme.id });
    await signedProduct(ctx, 'reader', {}, keyOf(9));
    const idOf = async (query: object, headers = {}) =>
      (await ask({ product: 'reader', ...query }, headers)).body.key_id;
    expect(await idOf({ tenant: slug })).toBe(keyOf(9).keyId);
    expect(await idOf({}, { Host: 'Keys.Acme.Example:8480' })).toBe(keyOf(9).keyId);
    expect(await idOf({ tenant: 'default' }, { Host: 'keys.acme.example' })).toBe(keyOf().keyId);
    expect(await idOf({}, { Host: '[::1]:8480' })).toBe(keyOf().keyId);
    await tenants.suspend(app.ctx, slug);
    // Its clients must not take the keys of another tenant for its own.
    expect(await idOf({}, { Host: 'keys.acme.example' })).toBeUndefined();
    expect(refused(await ask({ product: 'reader', tenant: slug }))).toEqual([404, 'NOT_FOUND']);
  });

  it('is 404 for what there is not, and 400 for what cannot be', async () => {
    const keyless = await app.product();
    const queries = [
      { product: 'nothing' },
      { product: keyless.slug },
      { product: 'reader', tenant: 'nobody' },
      ...['../x', 'READER', 'reader\0', 'x'.repeat(64), '🦊'].flatMap((odd) => [
        { product: odd },
        { product: 'reader', tenant: odd },
      ]),
    ];
    for (const query of queries) expect(refused(await ask(query))).toEqual([404, 'NOT_FOUND']);
    for (const query of [
      {},
      { product: '' },
      { product: 'reader', tenant: '' },
      { product: 'reader', format: 'ssh' },
    ]) {
      expect(refused(await ask(query as Record<string, string>))).toEqual([400, 'VALIDATION_ERROR']);
    }
  });
});
