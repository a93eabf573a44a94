import type { Ctx } from '#kernel/context.ts';
import { PUBLIC_KEY_BYTES } from '#kernel/ed25519.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type KeyShape, keyShape } from '#signing/keys/key-shape.ts';
import * as repo from './repository.ts';

/** The product that a key belongs to. */
export interface KeyOwner {
  readonly id: string;
  readonly slug: string;
}

/** The stored public key: 32 raw bytes. */
export function publicKeyOf(row: repo.SigningKeyRow): Buffer {
  const bytes = Buffer.from(row.publicKey, 'base64');
  if (bytes.length !== PUBLIC_KEY_BYTES) throw new Error(`the stored public key ${row.keyId} is damaged`);
  return bytes;
}

/** The printed form of a registered key: the server holds its private part sealed, or not at all. */
export const shapeOf = (row: repo.SigningKeyRow): KeyShape =>
  keyShape(publicKeyOf(row), {
    product: row.productSlug,
    status: row.status,
    createdAt: row.createdAt,
    encrypted: row.privateKey !== null,
    registered: true,
    serverHeld: row.privateKey !== null,
  });

/**
 * The key of a key id. One key may serve several products: without a product the oldest row answers.
 *
 * @param productId null looks in every product of the tenant
 * @throws AppError NOT_FOUND
 */
export async function findKey(
  ctx: Ctx,
  keyId: string,
  productId: string | null = null,
): Promise<repo.SigningKeyRow> {
  const rows = await repo.listByKeyId(ctx, keyId);
  const row = rows.find((one) => productId === null || one.productId === productId);
  if (row) return row;
  throw fail('NOT_FOUND', `signing key ${keyId} was not found`, {
    details: { keyId, hint: 'appctl keys list' },
  });
}

/**
 * The key of a key id that is to be changed: a key of several products is changed in the one that is named.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR when several products have it and none is named
 */
export async function findKeyToChange(
  ctx: Ctx,
  keyId: string,
  productId: string | null,
): Promise<repo.SigningKeyRow> {
  const rows = productId === null ? await repo.listByKeyId(ctx, keyId) : [];
  if (rows.length < 2) return findKey(ctx, keyId, productId);
  const products = rows.map(({ productSlug }) => productSlug);
  throw fail('VALIDATION_ERROR', `the key ${keyId} serves several products: ${products.join(', ')}`, {
    details: { keyId, products, hint: `name one of them: --product ${products[0]}` },
  });
}
