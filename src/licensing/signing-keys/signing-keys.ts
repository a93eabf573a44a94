import type { Ctx } from '#kernel/context.ts';
import { keyIdOf, PUBLIC_KEY_BYTES, requirePublicKey } from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { ids } from '../ids.ts';
import { type KeyShape, keyShape, MAX_LABEL_LENGTH } from './key-shape.ts';
import * as repo from './repository.ts';
import { openSeed, sealSeed } from './sealed-seed.ts';

/** The product that a key belongs to. */
export interface KeyOwner {
  readonly id: string;
  readonly slug: string;
}

/**
 * Registers a release key with a product: ACTIVE when the product has none, else NEXT (cli 3.4).
 * Registering the same key again changes nothing.
 *
 * @param key 32-byte public key, and the 32-byte seed when the server shall hold it (sealed with the master key)
 * @returns the Key of cli 2
 * @throws Ed25519Error for a key that requirePublicKey refuses, AppError VALIDATION_ERROR for a longer label
 */
export async function register(
  ctx: Ctx,
  product: KeyOwner,
  key: { publicKey: Buffer; seed: Buffer | null; label: string | null },
): Promise<KeyShape> {
  const publicKey = requirePublicKey(key.publicKey);
  if ((key.label?.length ?? 0) > MAX_LABEL_LENGTH) {
    throw fail('VALIDATION_ERROR', `the label of a key has at most ${MAX_LABEL_LENGTH} characters`);
  }
  return ctx.tx(async (ctx) => {
    await repo.lockProduct(ctx, product.id);
    const present = await repo.listOfProduct(ctx, product.id);
    const known = present.find((row) => row.keyId === keyIdOf(publicKey));
    if (known) return toKey(known);
    const id = ctx.newId(ids.signingKey);
    const row = {
      id,
      productId: product.id,
      keyId: keyIdOf(publicKey),
      publicKey: publicKey.toString('base64'),
      privateKey: key.seed === null ? null : sealSeed(ctx, key.seed, id),
      status: present.some((other) => other.status === 'ACTIVE') ? ('NEXT' as const) : ('ACTIVE' as const),
      label: key.label,
      createdAt: ctx.now(),
    };
    await repo.insert(ctx, row);
    return toKey({ ...row, productSlug: product.slug });
  });
}

/**
 * One page of the tenant's release keys, newest first.
 *
 * @param filter product slug or null; page from 1
 */
export async function list(
  ctx: Ctx,
  filter: { product: string | null; page: number; limit: number },
): Promise<{
  items: KeyShape[];
  pagination: { page: number; limit: number; total: number; totalPages: number };
}> {
  const { items, total } = await repo.listPage(ctx, filter);
  const { page, limit } = filter;
  return {
    items: items.map(toKey),
    pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
  };
}

/** The key of a key id. Throws AppError NOT_FOUND. */
export async function get(ctx: Ctx, keyId: string): Promise<KeyShape> {
  return toKey(await find(ctx, keyId));
}

/**
 * The private part of a server-held key.
 *
 * @returns 32-byte seed
 * @throws AppError NOT_FOUND when the key is unknown or its private part is not held here
 */
export async function openServerHeld(ctx: Ctx, keyId: string): Promise<Buffer> {
  const row = await find(ctx, keyId);
  if (row.privateKey === null) {
    throw fail('NOT_FOUND', `the private part of key ${keyId} is not held by the server`, {
      details: { reason: 'NOT_SERVER_HELD', keyId },
    });
  }
  return openSeed(ctx, { ...row, privateKey: row.privateKey });
}

/** The public keys that verify a product's releases, the ACTIVE one first: 32 raw bytes each (D98). */
export async function publicKeysOf(ctx: Ctx, product: KeyOwner): Promise<Buffer[]> {
  const rows = await repo.listOfProduct(ctx, product.id);
  const activeFirst = [...rows].sort((a, b) => Number(b.status === 'ACTIVE') - Number(a.status === 'ACTIVE'));
  return activeFirst.map(publicKeyOf);
}

async function find(ctx: Ctx, keyId: string): Promise<repo.SigningKeyRow> {
  const row = await repo.findByKeyId(ctx, keyId);
  if (!row) throw fail('NOT_FOUND', `there is no signing key ${keyId}`, { details: { keyId } });
  return row;
}

const publicKeyOf = (row: repo.SigningKeyRow): Buffer => {
  const bytes = Buffer.from(row.publicKey, 'base64');
  if (bytes.length !== PUBLIC_KEY_BYTES) throw new Error(`the stored public key ${row.keyId} is damaged`);
  return bytes;
};

/** A registered key: the server holds its private part sealed, or not at all. */
const toKey = (row: repo.SigningKeyRow): KeyShape =>
  keyShape(publicKeyOf(row), {
    product: row.productSlug,
    status: row.status,
    createdAt: row.createdAt,
    encrypted: row.privateKey !== null,
    registered: true,
    serverHeld: row.privateKey !== null,
  });
