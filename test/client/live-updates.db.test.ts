// Updates of the real service in the client SDK (licensing.md 6.3, 7.3).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SigningKey } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { fileSink } from '../../src/client/file-sink.ts';
import type { ClientOptions } from '../../src/client/option-types.ts';
import { bundleOf, type Draft, keyOf, published } from '../licensing/release-fixture.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { machineOf, type Shop } from './live.ts';

const DAY = 86_400;

let app: TestApp;
let apiKey: string;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
  folder = mkdtempSync(join(tmpdir(), 'appctl-updates-'));
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** A product whose releases its root key signs, and a customer of it. */
async function open() {
  const product = await app.product();
  const signer = await delegatedProduct(app.ctx, product);
  const shop: Shop = { app, product, signer, apiKey };
  const license = await app.license({ productId: product.id });
  const target = { platform: 'linux', arch: 'x64' };
  return {
    license,
    publish: (version: string, draft: Draft = {}) =>
      published(app.ctx, product, version, { ...target, key: signer.root, ...draft }),
    machine: (options: Partial<ClientOptions> = {}) =>
      machineOf(shop, license.key, { appVersion: '2.0.0', updates: target, ...options }),
    shop,
  };
}

/** The product gets another root key, which delegates the online key from then on. */
async function rotateTo({ product, signer }: Shop, next: SigningKey): Promise<void> {
  const activateAt = new Date(app.clock.epochMs() + 30 * DAY * 1000).toISOString();
  const made = { publicKey: next.publicKey, seed: null, label: null };
  await signingKeys.rotate(app.ctx, product, { next: made, activateAt, old: signer.root });
  await signingKeys.activate(app.ctx, next.keyId);
  await signingKeys.delegate(app.ctx, signer.keyId, signer.sign({}, next));
}

/** As fetch, but the first download breaks off after some bytes. */
function breaksOnce(after: number, ranges: string[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).includes('/download')) return response;
    ranges.push(`${response.status} ${response.headers.get('Content-Range')}`);
    if (ranges.length > 1) return response;
    let left = after;
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.slice(0, left));
          left -= chunk.length;
          if (left < 0) controller.error(new TypeError('terminated'));
        },
      }),
    );
    return new Response(body ?? null, response);
  };
}

describe('an installation', () => {
  it('sees a release, downloads it into a file, and is done', async () => {
    const { publish, machine } = await open();
    const { client, heard, answers } = machine();
    expect(await client.checkForUpdate()).toBeNull();
    const release = await publish('2.1.0', { changelog: 'Faster.', isCritical: true });
    const offer = await client.checkForUpdate();
    expect(offer).toMatchObject({
      ...{ releaseId: release.id, version: '2.1.0', changelog: 'Faster.', isCritical: true },
      ...{ statement: 'verified', sequence: release.sequence, fresh: true },
    });
    expect(heard).toEqual([{ event: 'update', value: offer }]);
    const path = join(folder, 'editor-2.1.0.zip');
    const progress: number[] = [];
    await client.downloadUpdate(offer!, await fileSink(path), { onProgress: (done) => progress.push(done) });
    expect(readFileSync(path)).toEqual(bundleOf(`${release.productSlug} 2.1.0`));
    expect(progress.at(-1)).toBe(release.bundleSize);
    expect(answers).toEqual(['200 check', '200 check', '200 download']);
    expect(await machine({ appVersion: '2.1.0' }).client.checkForUpdate()).toBeNull();
  });

  it('goes on with a download that broke off', async () => {
    const { publish, machine } = await open();
    const bytes = Buffer.alloc(300_000, 'appctl');
    await publish('2.1.0', { bytes });
    const ranges: string[] = [];
    const { client } = machine({ fetch: breaksOnce(100_000, ranges) });
    const path = join(folder, 'resumed.zip');
    await client.downloadUpdate((await client.checkForUpdate())!, await fileSink(path));
    expect(ranges).toEqual(['200 null', '206 bytes 100000-299999/300000']);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).not.toContain('resumed.zip.part');
  });

  it('of another platform, or in the part of a rollout that has to wait, sees nothing yet', async () => {
    const { publish, machine } = await open();
    const { id } = await publish('2.1.0', { rolloutPercent: 0 });
    const { client } = machine();
    expect(await client.checkForUpdate()).toBeNull();
    await releases.rollout(app.ctx, id, { percent: 100 });
    expect(await client.checkForUpdate()).toMatchObject({ version: '2.1.0', fresh: true });
    const other = machine({ updates: { platform: 'win32', arch: 'x64' } });
    expect(await other.client.checkForUpdate()).toBeNull();
  });

  it('cannot get what was withdrawn meanwhile, nor anything without an active license', async () => {
    const { publish, machine, license } = await open();
    const { id } = await publish('2.1.0');
    const { client } = machine();
    const offer = (await client.checkForUpdate())!;
    await releases.yank(app.ctx, id, { reason: 'it crashes' });
    const path = join(folder, 'yanked.zip');
    const refused = client.downloadUpdate(offer, await fileSink(path));
    await expect(refused).rejects.toMatchObject({ name: 'LicenseApiError', code: 'NOT_FOUND' });
    expect(readdirSync(folder).filter((name) => name.startsWith('yanked'))).toEqual([]);
    expect(await client.checkForUpdate()).toBeNull();
    await licenses.revoke(app.ctx, { licenseId: license.id }, null);
    await expect(client.checkForUpdate()).rejects.toMatchObject({ code: 'INVALID_LICENSE', httpStatus: 401 });
  });

  it('takes no older release than one that was offered to it before', async () => {
    const { publish, machine } = await open();
    await publish('2.1.0', { statement: { sequence: 10 } });
    const { id } = await publish('2.2.0', { statement: { sequence: 20 } });
    const first = machine();
    expect(await first.client.checkForUpdate()).toMatchObject({ version: '2.2.0' });
    await releases.yank(app.ctx, id, { reason: 'it crashes' });
    const again = machine({ storage: first.storage });
    await expect(again.client.checkForUpdate()).rejects.toMatchObject({ code: 'ROLLBACK' });
    await publish('2.2.1', { statement: { sequence: 30 } });
    expect(await again.client.checkForUpdate()).toMatchObject({ version: '2.2.1' });
  });
});

describe('a rotation of the root key', () => {
  it('an old installation gets the transition release first, a new one the newest', async () => {
    const { publish, machine, shop } = await open();
    const next = keyOf(77);
    await publish('2.1.0');
    await rotateTo(shop, next);
    await publish('3.0.0', { key: next });
    // Its root key has delegated nothing any more: what the online key signs counts as unsigned.
    const old = machine({ signedResponses: 'verify' });
    expect(await old.client.checkForUpdate()).toMatchObject({ version: '2.1.0', fresh: false });
    const rootKeys = [shop.signer.root, next].map((key) => key.publicKey.toString('base64'));
    const moved = machine({ appVersion: '2.1.0', rootKeys, storage: old.storage });
    expect(await moved.client.checkForUpdate()).toMatchObject({ version: '3.0.0', fresh: true });
  });
});

describe('somebody in between', () => {
  it('who answers with what the service said before is not believed', async () => {
    const { publish, machine } = await open();
    await publish('2.1.0');
    let kept: [string, Headers] | null = null;
    const replaying: typeof fetch = async (input, init) => {
      if (kept !== null) return new Response(kept[0], { headers: kept[1] });
      const response = await fetch(input, init);
      kept = [await response.text(), response.headers];
      return new Response(kept[0], response);
    };
    const { client } = machine({ fetch: replaying });
    await client.checkForUpdate();
    await expect(client.checkForUpdate()).rejects.toMatchObject({ code: 'RESPONSE_SIGNATURE' });
  });

  it.each<[string, (query: URLSearchParams, headers: Headers, other: string) => void]>([
    ['for other keys', (query) => query.set('key_ids', '0'.repeat(16))],
    ['for another machine', (query) => query.set('machine_id', 'another-machine')],
    ['for another license', (_, headers, other) => headers.set('X-License-Key', other)],
  ])('who asks %s gets an answer of the service that proves nothing here', async (_what, change) => {
    const { machine, shop } = await open();
    const other = await app.license({ productId: shop.product.id });
    const { client, heard } = machine({
      updates: { platform: 'linux', arch: 'x64', frozenAfterSeconds: 60 },
      fetch: (input, init) => {
        const url = new URL(String(input));
        const headers = new Headers(init?.headers);
        change(url.searchParams, headers, other.key);
        return fetch(url, { ...init, headers });
      },
    });
    await client.checkForUpdate();
    app.clock.advance(60);
    expect(await client.checkForUpdate()).toBeNull();
    expect(heard.map(({ event }) => event)).toEqual(['update-frozen']);
  });

  it('who keeps everything back is noticed after fourteen days', async () => {
    const { machine } = await open();
    const { client, cut, mend, heard } = machine();
    const since = new Date(app.clock.epochMs()).toISOString();
    await client.checkForUpdate();
    cut();
    app.clock.advance(14 * DAY);
    await expect(client.checkForUpdate()).rejects.toMatchObject({ code: 'NETWORK' });
    expect(heard).toEqual([{ event: 'update-frozen', value: { since } }]);
    mend();
    expect(await client.checkForUpdate()).toBeNull();
    app.clock.advance(14 * DAY - 1);
    await client.checkForUpdate();
    expect(heard).toHaveLength(1);
  });
});
