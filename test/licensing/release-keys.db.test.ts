// Release keys: registered, and planned to take over (licensing D98, decision 0026).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { rehearse } from '#kernel/rehearse.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import type * as products from '#licensing/catalog/products/index.ts';
import { continuityParts, openContinuity } from '#signing/keys/continuity.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { newKey, reasonOf, releaseKeyFixture } from './release-key-fixture.ts';

let test: TestContext;
let ctx: Ctx;
let fixture: ReturnType<typeof releaseKeyFixture>;
beforeAll(async () => {
  test = await openTestContext();
  fixture = releaseKeyFixture(test);
  ctx = test.ctx;
});
afterAll(() => test.close());

describe('register', () => {
  it('tells of a new key once, and of custody that the server takes over later', async () => {
    const product = await fixture.newProduct();
    const seed = generateSeed();
    const { publicKey, keyId } = signingKeyOf(seed);
    const key = { publicKey, seed: null, label: null };
    await signingKeys.register(ctx, product, key);
    await signingKeys.register(ctx, product, key);
    const data = { keyId, slug: product.slug };
    expect(await fixture.eventsOf(product)).toEqual([
      { type: 'SIGNING_KEY_ADDED', data: { ...data, status: 'ACTIVE', serverHeld: false } },
    ]);
    const held = await signingKeys.register(ctx, product, { ...key, seed, minisignId: '0123456789ABCDEF' });
    expect(held.serverHeld).toBe(true);
    expect(await signingKeys.openServerHeld(ctx, keyId)).toEqual({ seed, minisignId: '0123456789ABCDEF' });
    expect(await fixture.typesOf(product)).toEqual(['SIGNING_KEY_ADDED', 'SIGNING_KEY_HELD']);
  });
});

describe('rotate', () => {
  it('makes the next key NEXT with what the old one says about it; the old one stays ACTIVE', async () => {
    const { product, active, next, rotated } = await fixture.plannedProduct();
    expect(rotated).toMatchObject({
      old: { keyId: active.keyId, status: 'ACTIVE' },
      next: { keyId: next.keyId, status: 'NEXT', serverHeld: false },
    });
    expect(openContinuity(rotated.continuity, active.publicKey)).toEqual({
      v: 1,
      product: product.slug,
      old: active.keyId,
      next: next.keyId,
      pub: next.publicKey.toString('base64url'),
      activateAt: fixture.inDays(30),
      issuedAt: ctx.now(),
    });
    const { statement, signature } = continuityParts(rotated.continuity);
    const bytes = Buffer.from(signature, 'base64');
    expect(active.sign(Buffer.from(statement)).equals(bytes)).toBe(true);
    expect(await signingKeys.publicKeysForClients(ctx, product.id)).toEqual([
      {
        keyId: active.keyId,
        status: 'ACTIVE',
        publicKey: active.publicKey,
        createdAt: ctx.now(),
        activateAt: null,
        continuity: null,
      },
      {
        keyId: next.keyId,
        status: 'NEXT',
        publicKey: next.publicKey,
        createdAt: ctx.now(),
        activateAt: fixture.inDays(30),
        continuity: rotated.continuity,
      },
    ]);
    const data = { keyId: next.keyId, slug: product.slug };
    const events = await fixture.eventsOf(product);
    expect(events).toHaveLength(3);
    expect(events).toContainEqual({
      type: 'SIGNING_KEY_ADDED',
      data: { ...data, status: 'NEXT', serverHeld: false },
    });
    expect(events).toContainEqual({
      type: 'SIGNING_KEY_ROTATION_PLANNED',
      data: { ...data, oldKeyId: active.keyId, activateAt: fixture.inDays(30) },
    });
  });

  it('plans a key that the product has as NEXT, and one that the server makes and holds by one it holds', async () => {
    const product = await fixture.newProduct();
    const [first, second] = [generateSeed(), generateSeed()];
    const [old, next] = [signingKeyOf(first), signingKeyOf(second)];
    await signingKeys.register(ctx, product, { publicKey: old.publicKey, seed: first, label: null });
    const waiting = newKey();
    await signingKeys.register(ctx, product, waiting.row);
    const planned = await signingKeys.rotate(ctx, product, {
      next: waiting.row,
      activateAt: fixture.inDays(1),
      old: null,
    });
    expect(openContinuity(planned.continuity, old.publicKey)).toMatchObject({ next: waiting.key.keyId });
    await signingKeys.retire(ctx, waiting.key.keyId);
    const held = { publicKey: next.publicKey, seed: second, label: 'ours' };
    const again = await signingKeys.rotate(ctx, product, {
      next: held,
      activateAt: fixture.inDays(1),
      old: null,
    });
    expect(again.next).toMatchObject({ keyId: next.keyId, status: 'NEXT', serverHeld: true });
    expect(await fixture.statusesOf(product)).toEqual({
      [old.keyId]: 'ACTIVE',
      [next.keyId]: 'NEXT',
      [waiting.key.keyId]: 'RETIRED',
    });
  });

  it('refuses, and names why; nothing is stored', async () => {
    const { product, active, next } = await fixture.plannedProduct();
    const fresh = () => newKey().row;
    const rotate = (
      row: signingKeys.NewKey = fresh(),
      old: SigningKey | null = active,
      of: products.Product = product,
    ) => signingKeys.rotate(ctx, of, { next: row, activateAt: fixture.inDays(1), old });
    const before = await fixture.typesOf(product);
    expect(await reasonOf(rotate())).toEqual(['CONFLICT', 'ROTATION_PLANNED']);
    await signingKeys.retire(ctx, next.keyId);
    expect(await reasonOf(rotate(fresh(), next))).toEqual(['CONFLICT', 'WRONG_KEY']);
    const retired = { publicKey: next.publicKey, seed: null, label: null };
    expect(await reasonOf(rotate(retired))).toEqual(['CONFLICT', 'KEY_RETIRED']);
    const itself = { publicKey: active.publicKey, seed: null, label: null };
    expect(await reasonOf(rotate(itself))).toEqual(['CONFLICT', 'KEY_ACTIVE']);
    expect(await reasonOf(rotate(fresh(), null))).toEqual(['VALIDATION_ERROR', 'NOT_HELD']);
    expect(await reasonOf(rotate({ ...fresh(), label: 'x'.repeat(101) }))).toEqual([
      'VALIDATION_ERROR',
      undefined,
    ]);
    await expect(rotate({ ...fresh(), publicKey: Buffer.alloc(32) })).rejects.toThrow(/small order/);
    const past = signingKeys.rotate(ctx, product, { next: fresh(), activateAt: ctx.now(), old: active });
    expect(await reasonOf(past)).toEqual(['VALIDATION_ERROR', undefined]);
    expect(await reasonOf(rotate(fresh(), active, await fixture.newProduct()))).toEqual([
      'CONFLICT',
      'NO_ACTIVE_KEY',
    ]);
    expect((await fixture.typesOf(product)).sort()).toEqual([...before, 'SIGNING_KEY_RETIRED'].sort());
  });

  it('of many at once exactly one is planned', async () => {
    const { product, active } = await fixture.keyedProduct();
    const rotate = () =>
      signingKeys.rotate(ctx, product, { next: newKey().row, activateAt: fixture.inDays(1), old: active });
    const ends = await Promise.allSettled(Array.from({ length: 6 }, rotate));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(Object.values(await fixture.statusesOf(product)).sort()).toEqual(['ACTIVE', 'NEXT']);
  });

  it('rehearsed it changes nothing', async () => {
    const { product, active } = await fixture.keyedProduct();
    const rotation = { next: newKey().row, activateAt: fixture.inDays(1), old: active };
    await rehearse(ctx, (ctx) => signingKeys.rotate(ctx, product, rotation));
    expect(await fixture.statusesOf(product)).toEqual({ [active.keyId]: 'ACTIVE' });
    expect(await fixture.typesOf(product)).toEqual(['SIGNING_KEY_ADDED']);
  });
});
