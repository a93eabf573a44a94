// Signing keys through the admin API: what each operation does (licensing 4.2). What all operations owe their caller
// is in test/contract/admin.db.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import { generateSeed, privateKeyToPem, publicKeyToPem, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import { continuityParts } from '#signing/keys/continuity.ts';
import { signDelegation } from '#signing/keys/delegation.ts';
import { formatPublicKey } from '#signing/keys/public-key-text.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { readKeyEvents } from '../support/context.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const get = (path: string) => app.admin(path, owner);
const post = (path: string, body: unknown = {}) => app.admin(path, owner, { body });
const keysOf = ({ slug }: Product) => `/products/${slug}/keys`;
const freshKey = () => signingKeyOf(generateSeed());

describe('keys of a product', () => {
  it('are registered by the public half in any form, once; the answer is what the list shows', async () => {
    const product = await app.product();
    const key = freshKey();
    const { status, body } = await post(keysOf(product), {
      publicKey: publicKeyToPem(key.publicKey),
      label: 'ours',
    });
    const shown = {
      keyId: key.keyId,
      product: product.slug,
      algorithm: 'ed25519',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      publicKey: key.publicKey.toString('base64'),
      publicKeyPem: publicKeyToPem(key.publicKey),
      status: 'ACTIVE',
      label: 'ours',
      serverHeld: false,
      activateAt: null,
      continuity: null,
      createdAt: app.ctx.now(),
    };
    expect([status, body]).toEqual([201, { success: true, key: shown }]);
    for (const form of ['base64', 'hex', 'jwk', 'minisign'] as const) {
      const again = await post(keysOf(product), { publicKey: formatPublicKey(key.publicKey, form) });
      expect([again.status, again.body.key]).toEqual([201, shown]);
    }
    const known = freshKey();
    const minisign = formatPublicKey(known.publicKey, 'minisign', 'B0C1B9846081A245');
    await post(keysOf(await app.product()), { publicKey: minisign });
    expect((await signingKeys.moreOf(app.ctx, known.keyId)).minisignId).toBe('B0C1B9846081A245');
    expect((await get(`/products/${product.id}/keys`)).body).toEqual({
      success: true,
      items: [shown],
      onlineKeys: [],
    });
  });

  it('that the server makes and holds never show their private half', async () => {
    const product = await app.product();
    const { status, body, text } = await post(keysOf(product), { generate: true, note: 'for CI' });
    expect([status, body.key]).toMatchObject([201, { serverHeld: true, status: 'ACTIVE' }]);
    const { seed } = await signingKeys.openServerHeld(
      app.ctx,
      (body.key as unknown as { keyId: string }).keyId,
    );
    for (const form of ['base64', 'base64url', 'hex'] as const)
      expect(text).not.toContain(seed.toString(form));
    expect(
      (await readKeyEvents(app.instance.database, product.id)).find(
        ({ type }) => type === 'SIGNING_KEY_ADDED',
      )?.data,
    ).toMatchObject({
      note: 'for CI',
      serverHeld: true,
    });
  });

  it('are refused when they are none, weak, private, or both asked and sent', async () => {
    const product = await app.product();
    const seed = generateSeed();
    const { result, changes } = await app.changesBy(async () => {
      const codes = [];
      for (const body of [
        {},
        { generate: false },
        { generate: true, publicKey: signingKeyOf(seed).publicKey.toString('base64') },
        { publicKey: '' },
        { publicKey: 'x'.repeat(1001) },
        { publicKey: signingKeyOf(seed).publicKey.toString('base64'), label: 'x'.repeat(101) },
        { publicKey: 'words' },
        { publicKey: Buffer.alloc(32).toString('base64') },
        { publicKey: privateKeyToPem(seed) },
        { publicKey: '{"__proto__":{}}' },
      ]) {
        const reply = await post(keysOf(product), body);
        codes.push([reply.status, reply.body.error?.code]);
        expect(reply.text).not.toContain(seed.toString('base64'));
      }
      return codes;
    });
    expect(result).toEqual([
      ...Array.from({ length: 6 }, () => [400, 'VALIDATION_ERROR']),
      ...Array.from({ length: 4 }, () => [400, 'INVALID_KEY']),
    ]);
    expect(changes).toEqual(nothing);
  });
});

describe('a NEXT key', () => {
  it('takes over and retires by hand; a retired one is a conflict', async () => {
    const product = await app.product();
    const [old, next] = [freshKey(), freshKey()];
    const row = (key: typeof old) => ({ publicKey: key.publicKey, seed: null, label: null });
    await signingKeys.register(app.ctx, product, row(old));
    const activateAt = addSeconds(app.ctx.now(), 3600);
    const { continuity } = await signingKeys.rotate(app.ctx, product, { next: row(next), activateAt, old });
    const listed = await get(keysOf(product));
    expect(listed.body.items).toMatchObject([
      { keyId: old.keyId, status: 'ACTIVE' },
      { keyId: next.keyId, status: 'NEXT', activateAt, continuity: continuityParts(continuity) },
    ]);
    const at = `${keysOf(product)}/${next.keyId}`;
    const activated = await post(`${at}/activate`, { note: 'early' });
    expect(activated.body).toMatchObject({
      key: { status: 'ACTIVE', activateAt: null },
      changed: true,
      retired: old.keyId,
      delegation: null,
    });
    expect((await app.admin(`${at}/activate`, owner, { method: 'POST' })).body).toMatchObject({
      changed: false,
    });
    const back = await post(`${keysOf(product)}/${old.keyId}/activate`);
    expect([back.status, back.body.error?.details?.reason]).toEqual([409, 'KEY_RETIRED']);
    expect((await post(`${at}/retire`)).body).toMatchObject({ changed: true, retired: next.keyId });
    const stranger = await app.product();
    for (const path of [
      `${keysOf(stranger)}/${next.keyId}/retire`,
      `${keysOf(product)}/${'0'.repeat(16)}/retire`,
    ]) {
      expect((await post(path)).status).toBe(404);
    }
    expect((await post(`${keysOf(product)}/nokey/retire`)).status).toBe(400);
  });
});

describe('an online key', () => {
  it('is made here, delegated to by the root key, and of no other product', async () => {
    const product = await app.product();
    const root = freshKey();
    await signingKeys.register(app.ctx, product, { publicKey: root.publicKey, seed: null, label: null });
    const made = await app.admin(`/products/${product.id}/online-keys`, owner, { method: 'POST' });
    expect([made.status, made.body]).toMatchObject([201, { product: product.slug, delegation: null }]);
    const { keyId, publicKey } = made.body as unknown as { keyId: string; publicKey: string };
    const wanted = {
      product: product.slug,
      publicKey: Buffer.from(publicKey, 'base64'),
      uses: ['license'] as const,
      days: 30,
    };
    const delegation = signDelegation(wanted, root, app.ctx.now());
    const put = (of: Product, text: string) =>
      app.admin(`/products/${of.id}/online-keys/${keyId}/delegation`, owner, {
        method: 'PUT',
        body: { delegation: text },
      });
    expect((await put(await app.product(), delegation)).status).toBe(404);
    const bad = await put(
      product,
      delegation.replace(/.(?=.{9}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
    );
    expect([bad.status, bad.body.error?.details?.reason]).toEqual([400, 'SIGNATURE_INVALID']);
    const stored = await put(product, delegation);
    expect([stored.status, stored.body]).toMatchObject([
      200,
      { keyId, delegation: { root: root.keyId, use: ['license'], valid: true } },
    ]);
    expect((await get(keysOf(product))).body.onlineKeys).toMatchObject([{ keyId, status: 'ACTIVE' }]);
  });
});
