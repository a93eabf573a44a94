// Signing keys in the world of the admin API: one that waits to take over, and an online key of the same product.
import type { Ctx } from '#kernel/context.ts';
import { signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import type * as products from '#licensing/catalog/products/index.ts';
import { signContinuity } from '#signing/keys/continuity.ts';
import { signDelegation } from '#signing/keys/delegation.ts';
import { keyOf } from '../licensing/release-fixture.ts';

/** Key ids, a delegation that the online key may get, and what the ACTIVE key says of the next one. */
export type KeyWorld = { nextKey: string; onlineKey: string; delegation: string; continuity: string };

const TAKES_OVER = '2100-01-01T00:00:00.000Z';
let made = 0;

/** @param product whose ACTIVE key is that of the release fixture */
export async function worldKeys(ctx: Ctx, product: products.Product): Promise<KeyWorld> {
  made += 1;
  const seed = Buffer.alloc(32);
  seed.writeUInt32BE(made);
  const { publicKey } = signingKeyOf(seed);
  const next = await register(ctx, product, { publicKey, seed: null, label: 'next' });
  const online = await signingKeys.createOnline(ctx, product.id);
  const wanted = {
    product: product.slug,
    publicKey: Buffer.from(online.publicKey, 'base64'),
    uses: ['license'] as const,
    days: 30,
  };
  const delegation = signDelegation(wanted, keyOf(), ctx.now());
  const told = { product: product.slug, next: publicKey, activateAt: TAKES_OVER };
  const continuity = signContinuity(told, keyOf(), ctx.now());
  return { nextKey: next.keyId, onlineKey: online.keyId, delegation, continuity };
}

/** `/products/{id}/…keys/{keyId}` with the product and the key of a world. */
export const keyPathIn = (path: string, world: KeyWorld & { product: string }): string =>
  path
    .replace('products/{id}', `products/${world.product}`)
    .replace('/keys/{keyId}', `/keys/${world.nextKey}`)
    .replace('/online-keys/{keyId}', `/online-keys/${world.onlineKey}`);

/** A right body for every operation that takes one. */
export const keyBodies: Record<string, (world: KeyWorld) => object> = {
  'POST /products/{id}/keys': () => ({ generate: true, label: 'ours', note: 'first' }),
  'POST /products/{id}/keys/rotate': ({ nextKey, continuity }) => ({
    nextKeyId: nextKey,
    activateAt: TAKES_OVER,
    continuity,
  }),
  'POST /products/{id}/keys/{keyId}/activate': () => ({ note: 'now' }),
  'POST /products/{id}/keys/{keyId}/retire': () => ({}),
  'PUT /products/{id}/online-keys/{keyId}/delegation': ({ delegation }) => ({ delegation }),
};
