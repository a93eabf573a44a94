import type { Ctx } from '#kernel/context.ts';
import { decodeBase64url, SEED_BYTES, signingKeyOf } from '#kernel/ed25519.ts';

/** A stored key whose private part the server holds: `id` of the row, which the ciphertext is bound to (M11). */
export interface SealedKey {
  readonly id: string;
  readonly keyId: string;
  readonly privateKey: string;
}

/** Seals the 32-byte seed of a private key for its row. */
export const sealSeed = (ctx: Ctx, seed: Buffer, id: string): string =>
  ctx.keyring.seal('secret', seed.toString('base64url'), id);

/**
 * Opens the private part of a stored key.
 *
 * @returns 32-byte seed
 * @throws SealError when the master key does not open it, Error when it is another key's
 */
export function openSeed(ctx: Ctx, { id, keyId, privateKey }: SealedKey): Buffer {
  const seed = decodeBase64url(ctx.keyring.open('secret', privateKey, id), SEED_BYTES);
  if (signingKeyOf(seed).keyId !== keyId)
    throw new Error(`the stored private part of key ${keyId} is another key's`);
  return seed;
}
