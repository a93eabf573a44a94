// Release keys that take over and retire, by hand and when their time has come (licensing D98, decision 0026).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { keys as keysCapability } from '#licensing/catalog/keys/capability.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { refusalOf } from '../support/refusal.ts';
import { DAY, newKey, reasonOf, releaseKeyFixture } from './release-key-fixture.ts';

let test: TestContext;
let ctx: Ctx;
let fixture: ReturnType<typeof releaseKeyFixture>;
beforeAll(async () => {
  test = await openTestContext();
  fixture = releaseKeyFixture(test);
  ctx = test.ctx;
});
afterAll(() => test.close());

describe('activate', () => {
  it('puts the next key into use and retires the one before, once', async () => {
    const { product, active, next, rotated } = await fixture.plannedProduct();
    const done = await signingKeys.activate(ctx, next.keyId);
    expect(done).toMatchObject({
      changed: true,
      retired: active.keyId,
      key: { status: 'ACTIVE' },
      delegation: null,
    });
    expect(await signingKeys.publicKeysForClients(ctx, product.id)).toMatchObject([
      { keyId: next.keyId, status: 'ACTIVE', activateAt: null, continuity: rotated.continuity },
      { keyId: active.keyId, status: 'RETIRED' },
    ]);
    expect(await signingKeys.activate(ctx, next.keyId)).toMatchObject({ changed: false, retired: null });
    const data = { slug: product.slug };
    const events = await fixture.eventsOf(product);
    expect(events).toHaveLength(5);
    expect(events).toContainEqual({
      type: 'SIGNING_KEY_RETIRED',
      data: { ...data, keyId: active.keyId, from: 'ACTIVE', successor: next.keyId },
    });
    expect(events).toContainEqual({
      type: 'SIGNING_KEY_ACTIVATED',
      data: { ...data, keyId: next.keyId, before: active.keyId },
    });
    expect(await reasonOf(signingKeys.activate(ctx, active.keyId))).toEqual(['CONFLICT', 'KEY_RETIRED']);
    expect(await fixture.typesOf(product)).toHaveLength(5);
  });

  it('knows no key of another tenant and no online key', async () => {
    const { active } = await fixture.keyedProduct(await test.otherTenant());
    const { keyId } = await delegatedProduct(ctx, await fixture.newProduct());
    for (const unknown of [active.keyId, keyId, '0'.repeat(16), '__proto__', '']) {
      for (const change of [signingKeys.activate, signingKeys.retire]) {
        expect((await refusalOf(change(ctx, unknown))).code).toBe('NOT_FOUND');
      }
    }
  });

  it('of a key of several products wants to know which', async () => {
    const [one, two] = [await fixture.newProduct(), await fixture.newProduct()];
    const { key, row } = newKey();
    for (const product of [one, two]) await signingKeys.register(ctx, product, row);
    const { code, details } = await refusalOf(signingKeys.retire(ctx, key.keyId));
    expect([code, details.products]).toEqual(['VALIDATION_ERROR', [one.slug, two.slug]]);
    expect(await signingKeys.retire(ctx, key.keyId, two.id)).toMatchObject({ changed: true });
    expect(await fixture.statusesOf(one)).toEqual({ [key.keyId]: 'ACTIVE' });
    expect((await refusalOf(signingKeys.retire(ctx, key.keyId, (await fixture.newProduct()).id))).code).toBe(
      'NOT_FOUND',
    );
  });
});

describe('retire', () => {
  it('of a planned key calls the rotation off, and what was said about it is forgotten', async () => {
    const { product, active, next } = await fixture.plannedProduct();
    const done = await signingKeys.retire(ctx, next.keyId, null, { note: 'lost' });
    expect(done).toMatchObject({ changed: true, retired: null, key: { status: 'RETIRED' } });
    expect(await signingKeys.publicKeysForClients(ctx, product.id)).toMatchObject([
      { keyId: active.keyId, status: 'ACTIVE' },
      { keyId: next.keyId, status: 'RETIRED', activateAt: null, continuity: null },
    ]);
    expect(await fixture.eventsOf(product)).toContainEqual({
      type: 'SIGNING_KEY_RETIRED',
      data: { keyId: next.keyId, slug: product.slug, from: 'NEXT', note: 'lost' },
    });
    test.clock.advance(31 * DAY);
    await signingKeys.activateDue(ctx);
    expect(await fixture.statusesOf(product)).toEqual({ [active.keyId]: 'ACTIVE', [next.keyId]: 'RETIRED' });
    expect(await signingKeys.retire(ctx, next.keyId)).toMatchObject({ changed: false });
  });

  it('of the key in use leaves none, keeps what led to it, and the next key that comes is ACTIVE', async () => {
    const { product, next, rotated } = await fixture.plannedProduct();
    await signingKeys.activate(ctx, next.keyId);
    expect(await signingKeys.retire(ctx, next.keyId)).toMatchObject({ retired: next.keyId });
    const keys = await signingKeys.publicKeysForClients(ctx, product.id);
    expect(keys.map(({ status }) => status)).toEqual(['RETIRED', 'RETIRED']);
    expect(keys.find(({ keyId }) => keyId === next.keyId)?.continuity).toBe(rotated.continuity);
    expect(await signingKeys.register(ctx, product, newKey().row)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('delegations of a retired root key', () => {
  it('end, and somebody is told when the new key is held elsewhere', async () => {
    const product = await fixture.newProduct();
    const { root, keyId } = await delegatedProduct(ctx, product);
    const { key: next, row } = newKey();
    await signingKeys.rotate(ctx, product, { next: row, activateAt: fixture.inDays(1), old: root });
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toMatchObject({ keyId });
    const { delegation } = await signingKeys.activate(ctx, next.keyId);
    expect(delegation).toEqual({ keyId, renewed: false });
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toBeNull();
  });

  it('are signed anew at once by a new key that the server holds', async () => {
    const product = await fixture.newProduct();
    const { root, keyId } = await delegatedProduct(ctx, product, { uses: ['license'] });
    const seed = generateSeed();
    const { publicKey, keyId: nextId } = signingKeyOf(seed);
    const next = { publicKey, seed, label: null };
    await signingKeys.rotate(ctx, product, { next, activateAt: fixture.inDays(1), old: root });
    expect((await signingKeys.activate(ctx, nextId)).delegation).toEqual({ keyId, renewed: true });
    expect(await signingKeys.signerFor(ctx, product.id, 'license')).toMatchObject({ keyId });
    expect(await signingKeys.signerFor(ctx, product.id, 'response')).toBeNull();
  });
});

describe('job key-activation', () => {
  it('activates when the time has come and not a second before, of every tenant', async () => {
    test.clock.advance(40 * DAY);
    await signingKeys.activateDue(ctx);
    const mine = await fixture.plannedProduct();
    const other = await test.otherTenant();
    const theirs = await fixture.keyedProduct(other);
    const { key: theirNext, row } = newKey();
    await signingKeys.rotate(other, theirs.product, {
      next: row,
      activateAt: fixture.inDays(30),
      old: theirs.active,
    });
    test.clock.advance(30 * DAY - 1);
    expect(await signingKeys.activateDue(ctx)).toEqual({ activated: 0, failed: 0 });
    test.clock.advance(1);
    const runs = await Promise.all([signingKeys.activateDue(ctx), signingKeys.activateDue(ctx)]);
    expect(runs.reduce((sum, { activated }) => sum + activated, 0)).toBe(2);
    expect(await fixture.statusesOf(mine.product)).toEqual({
      [mine.next.keyId]: 'ACTIVE',
      [mine.active.keyId]: 'RETIRED',
    });
    expect(await fixture.statusesOf(theirs.product)).toMatchObject({ [theirNext.keyId]: 'ACTIVE' });
    expect(
      (await fixture.typesOf(mine.product)).filter((type) => type === 'SIGNING_KEY_ACTIVATED'),
    ).toHaveLength(1);
    expect(await signingKeys.activateDue(ctx)).toEqual({ activated: 0, failed: 0 });
  });

  it('waits after a jump of the clock: a retired key does not come back', () => {
    const [job] = keysCapability.jobs ?? [];
    expect(job).toMatchObject({ name: 'key-activation', everySeconds: 60, waitsAfterClockStep: true });
  });

  it('activates a planned key although the one before was retired meanwhile', async () => {
    const { product, active, next } = await fixture.plannedProduct();
    await signingKeys.retire(ctx, active.keyId);
    test.clock.advance(30 * DAY);
    await signingKeys.activateDue(ctx);
    expect(await fixture.statusesOf(product)).toEqual({ [next.keyId]: 'ACTIVE', [active.keyId]: 'RETIRED' });
  });
});
