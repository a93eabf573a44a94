// Online keys: made in the server, put into use by a delegation, ended with their root key (licensing 6.1, D97, D98).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { delegatedKey, signedBy } from '../support/offline-token.ts';
import { delegatedProduct, registerRoot } from '../support/online-key.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

const DAY = 86_400;
let test: TestContext;
let ctx: Ctx;
let made = 0;
beforeAll(async () => {
  test = await openTestContext();
  ctx = test.ctx;
});
afterAll(() => test.close());

const newProduct = (owner: Ctx = ctx) => {
  made += 1;
  return products.create(owner, { name: 'Editor', slug: `editor-${made}` });
};
const rowOf = (keyId: string) =>
  test.database.db.knex('license_signing_keys').where({ key_id: keyId }).first();
const eventsOf = async (keyId: string) =>
  (await test.eventsOf((await rowOf(keyId)).id)).map(({ type }) => type);
const statusesOf = async (product: string) =>
  (await signingKeys.listOnline(ctx, { product, page: 1, limit: 50 })).items.map(({ status }) => status);
const retire = (keyId: string) =>
  test.database.transaction(async ({ knex }) => {
    await knex('license_signing_keys').where({ key_id: keyId }).update({ status: 'RETIRED' });
  });
/** A product whose root key the server holds. */
async function heldProduct() {
  const product = await newProduct();
  const seed = generateSeed();
  const root = signingKeyOf(seed);
  await signingKeys.register(ctx, product, { publicKey: root.publicKey, seed, label: null });
  return { product, root };
}

describe('create', () => {
  it('keeps the private half sealed, and signs nothing before a delegation', async () => {
    const product = await newProduct();
    const key = await signingKeys.createOnline(ctx, product.slug);
    expect(key).toEqual({
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
      product: product.slug,
      algorithm: 'ed25519',
      publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      status: 'ACTIVE',
      createdAt: ctx.now(),
      delegation: null,
    });
    expect((await rowOf(key.keyId)).private_key).toMatch(/^v1\./);
    expect(JSON.stringify(key)).not.toContain('private');
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toBeNull();
    expect(await eventsOf(key.keyId)).toEqual(['ONLINE_KEY_CREATED']);
  });

  it('of many made at once exactly one is ACTIVE', async () => {
    const product = await newProduct();
    const keys = await Promise.all(
      Array.from({ length: 5 }, () => signingKeys.createOnline(ctx, product.id)),
    );
    expect(keys.map(({ status }) => status).sort()).toEqual(['ACTIVE', 'NEXT', 'NEXT', 'NEXT', 'NEXT']);
  });

  it('with a server-held root key delegates in the same step', async () => {
    const { product, root } = await heldProduct();
    const key = await signingKeys.createOnline(ctx, product.slug);
    expect(key.delegation).toEqual({
      root: root.keyId,
      use: ['license', 'timestamp', 'response'],
      notBefore: '2026-03-01T11:55:00.000Z',
      expiresAt: '2027-04-05T11:55:00.000Z',
      valid: true,
    });
    expect(await signingKeys.signerFor(ctx, product.id, 'timestamp')).toMatchObject({ keyId: key.keyId });
    expect(await eventsOf(key.keyId)).toEqual(['ONLINE_KEY_CREATED', 'ONLINE_KEY_DELEGATED']);
  });

  it('is of no effect on the release keys of the product', async () => {
    const product = await newProduct();
    await signingKeys.createOnline(ctx, product.slug);
    expect(await signingKeys.publicKeysOf(ctx, product)).toEqual([]);
    const root = await registerRoot(ctx, product);
    expect(await signingKeys.get(ctx, root.keyId)).toMatchObject({ status: 'ACTIVE' });
  });

  it('knows no product of another tenant', async () => {
    const other = await test.otherTenant();
    const product = await newProduct(other);
    expect(await codeOf(signingKeys.createOnline(ctx, product.slug))).toBe('NOT_FOUND');
    expect(await codeOf(signingKeys.createOnline(ctx, product.id))).toBe('NOT_FOUND');
  });
});

describe('delegate', () => {
  it('stores what verifies, and the signer carries it', async () => {
    const product = await newProduct();
    const { keyId, root, sign, publicKey } = await delegatedProduct(ctx, product, null);
    const text = sign({ uses: ['license'], days: 90 });
    const key = await signingKeys.delegate(ctx, keyId, ` ${text}\n`);
    expect(key.delegation).toMatchObject({ root: root.keyId, use: ['license'], valid: true });
    expect(await rowOf(keyId)).toMatchObject({
      delegation: text,
      delegation_expires_at: '2026-05-30T11:55:00.000Z',
    });
    const signer = await signingKeys.signerFor(ctx, product.id, 'license');
    expect(await signingKeys.signerFor(ctx, product.id, 'response')).toBeNull();
    const message = signingKeys.signMessage(signer as signingKeys.OnlineSigner, 'license', { a: 1 });
    const [payload = '', signature = '', ...rest] = message.slice('license/'.length).split('.');
    expect(signedBy(publicKey, `license/${payload}`, Buffer.from(signature, 'base64url'))).toBe(true);
    const client = { rootKeys: [root.publicKey], product: product.slug, now: test.clock.epochMs() / 1000 };
    expect(delegatedKey(rest.join('.'), 'license', client)).toEqual(publicKey);
  });

  it('replaces: the next key takes over, the one before is RETIRED and cannot come back', async () => {
    const product = await newProduct();
    const first = await delegatedProduct(ctx, product);
    const next = await signingKeys.createOnline(ctx, product.slug);
    expect(next.status).toBe('NEXT');
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toMatchObject({ keyId: first.keyId });
    const text = first.sign({ publicKey: Buffer.from(next.publicKey, 'base64') });
    expect(await signingKeys.delegate(ctx, next.keyId, text)).toMatchObject({ status: 'ACTIVE' });
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toMatchObject({ keyId: next.keyId });
    expect((await statusesOf(product.slug)).sort()).toEqual(['ACTIVE', 'RETIRED']);
    const back = await refusalOf(signingKeys.delegate(ctx, first.keyId, first.sign()));
    expect(back.code).toBe('CONFLICT');
    expect((await statusesOf(product.slug)).sort()).toEqual(['ACTIVE', 'RETIRED']);
  });

  it('refuses, and names why', async () => {
    const product = await newProduct();
    const stranger = await delegatedProduct(ctx, await newProduct());
    const { keyId, root, sign } = await delegatedProduct(ctx, product, null);
    const inDays = (days: number) => new Date(test.clock.epochMs() + days * DAY * 1000).toISOString();
    const reasonOf = async (text: string) => {
      const { code, details } = await refusalOf(signingKeys.delegate(ctx, keyId, text));
      return [code, details.reason];
    };
    const cases: [string, string][] = [
      ['', 'MALFORMED'],
      ['delegation/AAAA', 'MALFORMED'],
      [sign().replace('delegation/', 'license/'), 'MALFORMED'],
      [sign().replace(/.(?=.{9}$)/, (letter) => (letter === 'A' ? 'B' : 'A')), 'SIGNATURE_INVALID'],
      [sign({}, stranger.root), 'ROOT_UNKNOWN'],
      [sign({}, signingKeyOf(generateSeed())), 'ROOT_UNKNOWN'],
      [sign({ product: 'another' }), 'WRONG_PRODUCT'],
      [sign({ publicKey: stranger.publicKey }), 'WRONG_KEY'],
      [sign({ days: 401 }), 'LIFE_TOO_LONG'],
      [sign({ at: inDays(1) }), 'NOT_YET_VALID'],
      [sign({ at: inDays(-2), days: 1 }), 'EXPIRED'],
    ];
    for (const [text, reason] of cases) expect(await reasonOf(text)).toEqual(['VALIDATION_ERROR', reason]);
    await retire(root.keyId);
    expect(await reasonOf(sign())).toEqual(['VALIDATION_ERROR', 'ROOT_UNKNOWN']);
    expect(await eventsOf(keyId)).toEqual(['ONLINE_KEY_CREATED']);
    expect((await rowOf(keyId)).delegation).toBeNull();
  });

  it('knows no key of another tenant, and no root key as an online one', async () => {
    const { keyId, root, sign } = await delegatedProduct(ctx, await newProduct(), null);
    const other = await test.otherTenant();
    expect(await codeOf(signingKeys.delegate(other, keyId, sign()))).toBe('NOT_FOUND');
    expect(await codeOf(signingKeys.delegate(ctx, root.keyId, sign()))).toBe('NOT_FOUND');
    expect((await signingKeys.listOnline(other, { product: null, page: 1, limit: 50 })).items).toEqual([]);
  });
});

describe('the signer', () => {
  it('ends with the delegation, to the second', async () => {
    const product = await newProduct();
    await delegatedProduct(ctx, product, { days: 1 });
    test.clock.advance(DAY - 301);
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).not.toBeNull();
    test.clock.advance(1);
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toBeNull();
    const [key] = (await signingKeys.listOnline(ctx, { product: product.slug, page: 1, limit: 1 })).items;
    expect(key?.delegation?.valid).toBe(false);
  });

  it('ends with its root key, though it was opened before', async () => {
    const product = await newProduct();
    const { root } = await delegatedProduct(ctx, product);
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).not.toBeNull();
    await retire(root.keyId);
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toBeNull();
  });

  it('follows a new delegation at once', async () => {
    const product = await newProduct();
    const { keyId, sign } = await delegatedProduct(ctx, product);
    expect(await signingKeys.signerFor(ctx, product.id, 'response')).not.toBeNull();
    await signingKeys.delegate(ctx, keyId, sign({ uses: ['license'] }));
    expect(await signingKeys.signerFor(ctx, product.id, 'response')).toBeNull();
  });

  it('ends when the slug of the product changes: clients compare it', async () => {
    const product = await newProduct();
    await delegatedProduct(ctx, product);
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).not.toBeNull();
    await products.update(ctx, product.id, { slug: `${product.slug}-new` });
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toBeNull();
  });
});
