// Manifest and download of a release by its id, and the limits of both (spec; D15, D89 to D92; A145, A149).
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { othersOf } from '#kernel/other-processes.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as requests from '#licensing/insight/requests/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { attachment } from '#licensing/releases/updates/disposition.ts';
import { flushCounts } from '#licensing/releases/updates/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { bundleOf, keyOf, published, signedProduct } from './release-fixture.ts';
import { refused, updateRequests } from './updates.ts';

let app: TestApp;
let send: ReturnType<typeof updateRequests>;
let product: Product;
let release: releases.Release;
let licenseId: string;
let key: string;
beforeAll(async () => {
  // Every request from an address of its own: the download bucket holds ten.
  const pins = { 'licensing.limits.failures.max': '3' };
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1', pins });
  send = updateRequests(app);
  product = await signedProduct(app.ctx, 'reader');
  release = await published(app.ctx, product, '1.2.0', { channel: 'beta', requiresMigration: true });
  ({ id: licenseId, key } = await app.license({ productId: product.id, maxVersion: '1' }));
});
afterAll(() => app.close());

const bytes = bundleOf('reader 1.2.0');
const sha256 = createHash('sha256').update(bytes).digest('hex');
let addresses = 0;
const fresh = (headers: Record<string, string> = {}) => {
  addresses += 1;
  return { 'X-Forwarded-For': `198.51.${addresses >> 8}.${addresses & 255}`, ...headers };
};
const both = async (typed: string | null, id: string | undefined) => [
  await send.manifest(typed, id, fresh()),
  await send.download(typed, id, fresh()),
];

describe('manifest', () => {
  it('describes a release with its own flags, on any channel', async () => {
    const { result, changes } = await app.changesBy(() => send.manifest(key, release.id, fresh()));
    expect([result.status, result.body]).toEqual([
      200,
      {
        success: true,
        version: '1.2.0',
        filename: 'app-1.2.0.zip',
        size: bytes.length,
        sha256,
        signature: release.signature,
        channel: 'beta',
        is_critical: false,
        requires_migration: true,
        published_at: release.publishedAt,
        key_id: keyOf().keyId,
        statement: release.statement,
        statement_signature: release.statementSignature,
        sequence: release.sequence,
      },
    ]);
    expect(changes).toEqual(nothing);
  });
});

describe('download', () => {
  it('sends the bytes with the documented headers, which HEAD and a part have as well', async () => {
    const documented = {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="app-1.2.0.zip"; filename*=UTF-8''app-1.2.0.zip`,
      'x-bundle-sha256': sha256,
      'x-bundle-signature': release.signature,
      'x-release-statement': release.statement,
      'x-release-statement-signature': release.statementSignature,
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
    };
    const whole = await send.download(key, release.id, fresh());
    expect([whole.status, whole.text]).toEqual([200, bytes.toString()]);
    expect(whole.headers).toMatchObject({ ...documented, 'content-length': String(bytes.length) });
    const head = await send.get('download', key, { release_id: release.id }, fresh(), 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers).toMatchObject({ ...documented, 'content-length': String(bytes.length) });
    const range = { Range: 'bytes=10-19', 'If-Range': `"${sha256}"` };
    const part = await send.download(key, release.id, fresh(range));
    expect([part.status, part.text]).toEqual([206, bytes.subarray(10, 20).toString()]);
    expect(part.headers).toMatchObject({
      ...documented,
      'content-length': '10',
      'content-range': `bytes 10-19/${bytes.length}`,
    });
    const known = await send.download(key, release.id, fresh({ 'If-None-Match': `"${sha256}"` }));
    expect([known.status, known.text]).toEqual([304, '']);
    const beyond = await send.download(key, release.id, fresh({ Range: `bytes=${bytes.length}-` }));
    expect(beyond.status).toBe(416);
  });

  it('counts whole downloads by the version they come from, which must be one (D91)', async () => {
    const other = await published(app.ctx, product, '1.3.0');
    const asked = { release_id: other.id };
    const from = { ...asked, from_version: 'v1.2.0' };
    for (const query of [asked, from, from]) {
      expect((await send.get('download', key, query, fresh())).status).toBe(200);
    }
    await send.get('download', key, from, fresh(), 'HEAD');
    await send.get('download', key, from, fresh({ Range: 'bytes=5-' }));
    const bad = await send.get('download', key, { ...asked, from_version: '1.2' }, fresh());
    expect(refused(bad)).toEqual([400, 'VALIDATION_ERROR']);
    await flushCounts(app.ctx);
    const { fromVersions } = await releases.stats(app.ctx, other.id);
    expect(fromVersions.map(({ fromVersion, downloads }) => [fromVersion, downloads])).toEqual([
      ['1.2.0', 2],
      ['', 1],
    ]);
  });

  it('sends nothing of a bundle that was changed on disk, and tells the timeline once', async () => {
    const other = await published(app.ctx, product, '1.4.0');
    const sum = String(other.bundleSha256);
    expect((await send.download(key, other.id, fresh())).status).toBe(200);
    writeFileSync(join(app.ctx.dataDir, 'bundles', sum.slice(0, 2), sum), bundleOf('another one!'));
    for (let n = 0; n < 2; n++) {
      const reply = await send.download(key, other.id, fresh());
      expect([...refused(reply), reply.headers['x-bundle-sha256']]).toEqual([500, 'SERVER_ERROR', undefined]);
    }
    const events = await app.eventsOf(other.id);
    expect(events.filter(({ type }) => type === 'RELEASE_BUNDLE_DAMAGED')).toHaveLength(1);
    expect((await send.manifest(key, other.id, fresh())).status).toBe(200);
  });
});

describe('a release is not found (D90)', () => {
  it('when it is unknown, no release, a draft, yanked, or beyond the license; an archived one is served', async () => {
    const draft = await releases.create(app.ctx, { productId: product.id, version: '1.9.0' });
    const yanked = await published(app.ctx, product, '1.5.0');
    await releases.yank(app.ctx, yanked.id, { reason: 'broken' });
    const archived = await published(app.ctx, product, '1.6.0');
    await releases.archive(app.ctx, archived.id);
    const beyond = await published(app.ctx, product, '2.0.0');
    const entitled = await published(app.ctx, product, '2.1.0', { requiredEntitlements: ['pro'] });
    const missing = [
      'rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
      product.id,
      draft.id,
      yanked.id,
      beyond.id,
      entitled.id,
    ];
    for (const id of missing) {
      for (const reply of await both(key, id)) {
        expect([id, reply.status, reply.body.error]).toEqual([
          id,
          404,
          { code: 'NOT_FOUND', message: 'Release not found' },
        ]);
      }
    }
    for (const reply of await both(key, archived.id)) expect(reply.status).toBe(200);
    const { key: pro } = await app.license({ productId: product.id, features: { pro: true } });
    for (const reply of await both(pro, entitled.id)) expect(reply.status).toBe(200);
  });

  it('regardless of rollout and least version: whoever has the id repairs an installation', async () => {
    const staged = await published(app.ctx, product, '1.7.0', {
      rolloutPercent: 0,
      minFromVersion: '1.6.0',
      statement: null,
    });
    for (const reply of await both(key, staged.id)) expect(reply.status).toBe(200);
  });

  it('and one of another product or tenant is none of the license', async () => {
    const other = await published(app.ctx, await signedProduct(app.ctx, 'writer'), '1.0.1');
    const ctx = await app.otherTenant();
    const foreign = await published(ctx, await signedProduct(ctx, 'reader'), '1.0.1');
    for (const { id } of [other, foreign]) {
      for (const reply of await both(key, id)) {
        expect([reply.status, reply.body.error]).toEqual([
          401,
          { code: 'INVALID_LICENSE', message: 'License key is not valid' },
        ]);
      }
    }
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
  ])('%s names no release', async (_name, id) => {
    for (const reply of await both(key, id)) expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
  });

  it.each([
    ['a path', '../../etc/passwd'],
    ['dots', '%2e%2e'],
    ['a URL', 'https://x.test/'],
    ['101 characters', 'r'.repeat(101)],
    ['line ends', 'rel_1\r\nX-Evil: 1'],
    ['a fox', '🦊'],
    ['U+0000', 'rel_\0'],
  ])('%s is unknown, like any id that no release has', async (_name, id) => {
    for (const reply of await both(key, id)) expect(refused(reply)).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the buckets', () => {
  const standing = ({ status, headers }: Awaited<ReturnType<typeof send.check>>) => [
    status,
    headers['ratelimit-limit'],
    headers['ratelimit-remaining'],
  ];

  it('a part that goes on with a counted download is free, fifty times (D15)', async () => {
    const here = fresh();
    const part = (start: number, typed = key, from = here) =>
      send.download(typed, release.id, { ...from, Range: `bytes=${start}-` });
    expect(standing(await send.download(key, release.id, here))).toEqual([200, '10', '9']);
    for (let n = 1; n <= 50; n++)
      expect([n, ...standing(await part(n))]).toEqual([n, 206, undefined, undefined]);
    expect(standing(await part(51))).toEqual([206, '10', '8']);
    // From the first byte it is a download; of another key or from another address it was not counted.
    expect(standing(await part(0))).toEqual([206, '10', '7']);
    const { key: other } = await app.license({ productId: product.id });
    expect(standing(await part(5, other))).toEqual([206, '10', '6']);
    expect(standing(await part(5, key, fresh()))).toEqual([206, '10', '9']);
    expect(refused(await part(5, 'APP-0000-0000-0000-0000'))).toEqual([401, 'INVALID_LICENSE']);
    // What is answered with the whole is a download as well; a query says nothing about a file that the path names.
    const there = fresh();
    expect(standing(await send.download(key, release.id, there))).toEqual([200, '10', '9']);
    for (const [at, Range] of ['bytes= 5-', 'bytes=5-6,0-', 'bytes=9-5'].entries()) {
      const whole = await send.download(key, release.id, { ...there, Range });
      expect([Range, ...standing(whole)]).toEqual([Range, 200, '10', String(8 - at)]);
    }
    const path = `feeds/files/${release.id}/app-1.2.0.zip`;
    const file = await send.get(path, key, { release_id: 'rel_1' }, { ...there, Range: 'bytes=5-' });
    expect(standing(file)).toEqual([206, undefined, undefined]);
  });

  it('a download goes on in each process of a server, which share what is left of it', async () => {
    const told: [name: string, news: { name: string; until: number; left: number }][] = [];
    const others = othersOf(app.ctx);
    others.connect((name, news) => told.push([name, news as (typeof told)[0][1]]));
    const [here, there] = [fresh(), fresh()];
    const part = (from: Record<string, string>) =>
      send.download(key, release.id, { ...from, Range: 'bytes=5-' });
    expect(standing(await send.download(key, release.id, here))).toEqual([200, '10', '9']);
    expect(standing(await part(here))).toEqual([206, undefined, undefined]);
    expect(told.map(([, { left }]) => left)).toEqual([50, 49]);
    // Another process went on with it, and counted one that began at another address.
    const [name, news] = told[1] as (typeof told)[0];
    const address = (of: Record<string, string>) => String(of['X-Forwarded-For']);
    others.hear(name, { ...news, left: 0 });
    others.hear(name, { ...news, name: news.name.replace(address(here), address(there)), left: 1 });
    expect(standing(await part(here))).toEqual([206, '10', '8']);
    expect(standing(await part(there))).toEqual([206, undefined, undefined]);
    expect(standing(await part(there))).toEqual([206, '10', '9']);
    others.connect(() => undefined);
  });

  it('unknown keys are counted as guesses (D19d)', async () => {
    const here = fresh();
    const guess = (n: number) => `APP-0000-0000-0000-000${n}`;
    for (const n of [1, 2, 2, 3]) expect((await send.check(guess(n), {}, here)).status).toBe(401);
    expect((await send.check(key, {}, here)).status).toBe(200);
    expect((await send.download(guess(4), release.id, here)).status).toBe(401);
    const shut = await send.manifest(key, release.id, here);
    expect([shut.status, shut.body.error?.details?.bucket]).toEqual([429, 'failures']);
  });
});

describe('Content-Disposition', () => {
  it.each([
    ['Zoë 🦊.zip', `attachment; filename="Zo_ __.zip"; filename*=UTF-8''Zo%C3%AB%20%F0%9F%A6%8A.zip`],
    ['a"b\\c.zip', `attachment; filename="a_b_c.zip"; filename*=UTF-8''a%22b%5Cc.zip`],
    ['a\r\nX: 1', `attachment; filename="a__X_ 1"; filename*=UTF-8''a%0D%0AX%3A%201`],
    ["it's (1)*.zip", `attachment; filename="it_s (1)_.zip"; filename*=UTF-8''it%27s%20%281%29%2A.zip`],
    ['\ud800.zip', `attachment; filename="_.zip"; filename*=UTF-8''%EF%BF%BD.zip`],
  ])('%j stays within its header', (filename, header) => {
    expect(attachment(filename)).toBe(header);
  });
});

it('a refused update is explained to whoever asks for its request, by the license that asked', async () => {
  const { body } = await send.manifest(key, 'rel_01J9ZK3T5W8Y2QF4M6N7P0R1SV', fresh());
  await requests.flushRequests(app.ctx);
  const found = await requests.get(app.ctx, String(body.requestId));
  expect(found).toMatchObject({ licenseId, code: 'NOT_FOUND', route: '/api/v1/updates/manifest' });
});
