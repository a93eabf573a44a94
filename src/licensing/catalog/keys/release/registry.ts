import type { Ctx } from '#kernel/context.ts';
import { keyIdOf, requirePublicKey } from '#kernel/ed25519.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type KeyShape, MAX_LABEL_LENGTH } from '#signing/keys/key-shape.ts';
import type { HeldKey } from '#signing/keys/private-key.ts';
import { lockProduct, signingKeyRows } from '../queries.ts';
import { openSeed, sealSeed } from '../sealed-seed.ts';
import { signingKeyEvents } from './events.ts';
import { findKey, findKeyToChange, type KeyOwner, publicKeyOf, shapeOf } from './registered-key.ts';
import * as repo from './repository.ts';

/** A release key that is to be registered. */
export interface NewKey {
  /** 32 raw bytes. */
  readonly publicKey: Buffer;
  /** 32 raw bytes when the server shall hold the private part (sealed with the master key), else null. */
  readonly seed: Buffer | null;
  readonly label: string | null;
  /** Id that minisign gave to the key: 16 upper-case hex characters. */
  readonly minisignId?: string | null;
  /** Why it is registered, for the timeline. */
  readonly note?: string | undefined;
}

/**
 * Registers a release key with a product: ACTIVE when the product has none, else NEXT (cli 3.4).
 * Registering the same key again changes nothing, but that the server may take its private part into custody.
 *
 * @returns the Key of cli 2
 * @throws Ed25519Error for a key that requirePublicKey refuses, AppError VALIDATION_ERROR for a longer label
 */
export async function register(ctx: Ctx, product: KeyOwner, key: NewKey): Promise<KeyShape> {
  requireLabel(key.label);
  const keyId = keyIdOf(requirePublicKey(key.publicKey));
  return ctx.tx(async (ctx) => {
    await lockProduct(ctx, product.id);
    const present = await repo.listOfProduct(ctx, product.id);
    const known = present.find((row) => row.keyId === keyId);
    if (known) return shapeOf(await hold(ctx, known, key));
    const status = present.some((other) => other.status === 'ACTIVE') ? 'NEXT' : 'ACTIVE';
    return shapeOf(await store(ctx, product, key, { status, activateAt: null, continuity: null }));
  });
}

/** Keeps the private part of a key that is known already, when it came with one and the server has none. */
async function hold(ctx: Ctx, row: repo.SigningKeyRow, key: NewKey): Promise<repo.SigningKeyRow> {
  if (key.seed === null || row.privateKey !== null) return row;
  const held = {
    ...row,
    privateKey: sealSeed(ctx, key.seed, row.id),
    minisignId: key.minisignId ?? row.minisignId,
  };
  await repo.hold(ctx, held);
  await signingKeyEvents.tell(
    ctx,
    'SIGNING_KEY_HELD',
    held.id,
    { ...toldOf(held), status: held.status },
    { before: row, after: held },
  );
  return held;
}

/**
 * Stores a key that the product does not have yet, with its event. Call it with the product locked.
 *
 * @param place its status, and for a planned NEXT key when it takes over and what the key before says about it
 */
export async function store(
  ctx: Ctx,
  product: KeyOwner,
  key: NewKey,
  place: Pick<repo.SigningKeyRow, 'status' | 'activateAt' | 'continuity'>,
): Promise<repo.SigningKeyRow> {
  const publicKey = requirePublicKey(key.publicKey);
  const id = ctx.newId(ids.signingKey);
  const row: repo.SigningKeyRow = {
    id,
    productId: product.id,
    productSlug: product.slug,
    keyId: keyIdOf(publicKey),
    publicKey: publicKey.toString('base64'),
    privateKey: key.seed === null ? null : sealSeed(ctx, key.seed, id),
    label: key.label,
    minisignId: key.minisignId ?? null,
    createdAt: ctx.now(),
    ...place,
  };
  await repo.insert(ctx, row);
  await signingKeyEvents.tell(
    ctx,
    'SIGNING_KEY_ADDED',
    row.id,
    {
      ...toldOf(row),
      status: row.status,
      serverHeld: row.privateKey !== null,
      ...(key.note !== undefined && { note: key.note }),
    },
    { after: row, note: key.note },
  );
  return row;
}

/** A key as every event of it names it. */
export const toldOf = ({ keyId, productSlug: slug }: repo.SigningKeyRow) => ({ keyId, slug });

/** @throws AppError VALIDATION_ERROR */
export function requireLabel(label: string | null): void {
  if ((label?.length ?? 0) <= MAX_LABEL_LENGTH) return;
  throw fail('VALIDATION_ERROR', `a key label has at most ${MAX_LABEL_LENGTH} characters`);
}

/**
 * One page of the tenant's release keys, newest first.
 *
 * @param asked product slug or null; page from 1
 */
export async function list(ctx: Ctx, asked: PageAsked & { product: string | null }): Promise<Page<KeyShape>> {
  const filters = { product: asked.product ?? undefined };
  const { items, total } = await signingKeyRows.page(ctx, { ...sliceOf(asked), filters });
  return pageOf(asked, { items: items.map(shapeOf), total });
}

/** The key of a key id. Throws AppError NOT_FOUND. */
export const get = async (ctx: Ctx, keyId: string): Promise<KeyShape> => shapeOf(await findKey(ctx, keyId));

/**
 * The key of a key id that is about to be changed.
 *
 * @param productId needed when several products have the key
 * @throws AppError NOT_FOUND, VALIDATION_ERROR (several products)
 */
export const find = async (ctx: Ctx, keyId: string, productId: string | null): Promise<KeyShape> =>
  shapeOf(await findKeyToChange(ctx, keyId, productId));

/**
 * What the printed form of a key does not say: the id that minisign gave to it, and when a NEXT key takes over.
 *
 * @throws AppError NOT_FOUND
 */
export async function moreOf(
  ctx: Ctx,
  keyId: string,
): Promise<{ minisignId: string | null; activateAt: string | null }> {
  const { minisignId, activateAt } = await findKey(ctx, keyId);
  return { minisignId, activateAt };
}

/**
 * The private part of a server-held key.
 *
 * @throws AppError NOT_FOUND when the key is unknown or its private part is not held here
 */
export async function openServerHeld(ctx: Ctx, keyId: string): Promise<HeldKey> {
  const first = await findKey(ctx, keyId);
  const held = [first, ...(await repo.listByKeyId(ctx, keyId))].find(({ privateKey }) => privateKey !== null);
  if (!held?.privateKey) {
    throw fail('NOT_FOUND', `the private part of key ${keyId} is not stored on the server`, {
      details: { reason: 'NOT_SERVER_HELD', keyId },
    });
  }
  return { seed: openSeed(ctx, { ...held, privateKey: held.privateKey }), minisignId: held.minisignId };
}

/** The public keys that verify a product's releases, the ACTIVE one first: 32 raw bytes each (D98). */
export async function publicKeysOf(ctx: Ctx, product: KeyOwner): Promise<Buffer[]> {
  const rows = await repo.listOfProduct(ctx, product.id);
  const activeFirst = [...rows].sort((a, b) => Number(b.status === 'ACTIVE') - Number(a.status === 'ACTIVE'));
  return activeFirst.map(publicKeyOf);
}
