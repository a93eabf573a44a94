import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { newToken, sha256Hex } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import type { Content } from '#kernel/http/content.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { fail } from '#kernel/service/errors.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import { type StagedObject, TooLarge } from '#kernel/storage/types.ts';
import { inspectPicture, NotAPicture, renderPicture } from '#platform/pictures/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type CustomerPhoto, FOR_GOOD, type PhotoPurpose } from './record.ts';
import * as repo from './repository.ts';

/** Largest file of a photo. */
export const MOST_PHOTO_BYTES = 10 * 1_048_576;
/** Photos of one return or review. */
export const MOST_PHOTOS = 10;
/** So long one is kept that belongs to nothing. */
const UNUSED_DAYS = 7;
const RENDER_MS = 30_000;
const QUALITY = 82;
const TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];

export const PHOTO_SIZES = ['thumbnail', 'large'] as const;
export type PhotoSize = (typeof PHOTO_SIZES)[number];

/** A photo on its way. */
export interface SentPhoto {
  readonly customerId: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Asked once the whole file has come. */
  readonly purpose: () => PhotoPurpose;
}

/**
 * Keeps a photo of a customer: judged by its bytes, drawn anew without what the camera noted, and kept under a name that
 * nobody can guess. Not inside a transaction.
 *
 * @throws AppError VALIDATION_ERROR, with status 413 above 10 MB, with `details.reason` for what is no photo
 */
export async function storePhoto(
  ctx: Ctx,
  { customerId, source, purpose }: SentPhoto,
): Promise<CustomerPhoto> {
  const staged = await stage(ctx, source, MOST_PHOTO_BYTES);
  try {
    const wanted = purpose();
    await requirePhoto(staged);
    return await rendered(ctx, staged, { customerId, purpose: wanted });
  } catch (error) {
    if (!(error instanceof NotAPicture)) throw error;
    throw fail('VALIDATION_ERROR', error.message, { details: { reason: error.reason } });
  } finally {
    await staged.discard();
  }
}

async function stage(ctx: Ctx, source: AsyncIterable<Uint8Array>, most: number): Promise<StagedObject> {
  try {
    return await ctx.media.stage(source, most);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new AppError('VALIDATION_ERROR', 413, 'The photo is larger than 10 MB. Upload a smaller one');
  }
}

async function requirePhoto({ path }: StagedObject): Promise<void> {
  const { mime } = inspectPicture(await readFile(path));
  if (!TYPES.includes(mime))
    throw new NotAPicture('UNKNOWN_TYPE', 'The file is not a JPEG, PNG or WebP photo. Upload another file');
}

async function rendered(
  ctx: Ctx,
  { path }: StagedObject,
  about: Pick<CustomerPhoto, 'customerId' | 'purpose'>,
): Promise<CustomerPhoto> {
  const parent = join(ctx.dataDir, 'incoming');
  ensurePrivateFolder(parent);
  const folder = await mkdtemp(join(parent, 'photo-'));
  const kept: string[] = [];
  try {
    const { files } = await renderPicture({ path, folder, quality: QUALITY, drawn: null }, RENDER_MS);
    const place = sha256Hex(newToken(''));
    const keep = async (size: PhotoSize): Promise<string> => {
      const made = await stage(ctx, createReadStream(join(folder, size)), MOST_PHOTO_BYTES);
      try {
        const { location } = await made.keep(partLocationOf(place, size));
        kept.push(location);
        return location;
      } finally {
        await made.discard();
      }
    };
    const keys = { largeKey: await keep('large'), thumbnailKey: await keep('thumbnail') };
    return await insert(ctx, { ...about, ...keys, ...files.large });
  } catch (error) {
    for (const key of kept) await ctx.media.remove(key);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Made = Omit<CustomerPhoto, 'id' | 'keptUntil' | 'createdAt' | 'updatedAt'>;

const insert = (ctx: Ctx, made: Made): Promise<CustomerPhoto> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now();
    const keptUntil = addSeconds(now, UNUSED_DAYS * SECONDS_PER_DAY);
    const { customerId, purpose, largeKey, thumbnailKey, width, height, bytes } = made;
    const one: CustomerPhoto = {
      id: ctx.newId(ids.customerPhoto),
      ...{ customerId, purpose, largeKey, thumbnailKey, width, height, bytes },
      ...{ keptUntil, createdAt: now, updatedAt: now },
    };
    await repo.insert(ctx, one);
    return one;
  });

/**
 * Keeps photos for good, in the transaction of what they belong to.
 *
 * @throws AppError VALIDATION_ERROR for a photo that is unknown, over, or somebody else's
 */
export async function keepPhotos(ctx: Ctx, customerId: string, photoIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(photoIds)];
  if (wanted.length > MOST_PHOTOS)
    throw fail('VALIDATION_ERROR', `at most ${MOST_PHOTOS} photos can be uploaded`);
  if (wanted.length === 0 || (await repo.keep(ctx, customerId, wanted, FOR_GOOD)) === wanted.length) return;
  throw fail('VALIDATION_ERROR', 'One of the photos no longer exists. Upload it again');
}

/**
 * The bytes of a photo.
 *
 * @param owner its customer; `staff` sees all
 * @throws AppError NOT_FOUND, for those of others too
 */
export async function photoOf(
  ctx: Ctx,
  id: string,
  size: PhotoSize,
  owner: { readonly customerId: string } | 'staff',
): Promise<Content> {
  const found = await repo.find(ctx, id);
  const isSeen =
    found && found.keptUntil > ctx.now() && (owner === 'staff' || owner.customerId === found.customerId);
  const key = size === 'large' ? found?.largeKey : found?.thumbnailKey;
  const object = isSeen && key ? await ctx.media.open(key) : null;
  if (!found || !object) throw fail('NOT_FOUND', `photo ${id} does not exist`);
  return {
    type: 'image/webp',
    size: object.size,
    // A photo is never changed. Without a tag the end of a part would not be known.
    etag: `"${found.id}-${size}"`,
    headers: {
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Robots-Tag': 'noindex',
    },
    read: (start, end) => object.read(start, end),
    close: () => object.close(),
  };
}

const AT_ONCE = 100;

/** Removes photos that belong to nothing, and those whose owner was erased, with their files. */
export async function purgePhotos(ctx: Ctx): Promise<{ removed: number }> {
  let removed = 0;
  for (;;) {
    const over = await repo.listOver(ctx, AT_ONCE);
    for (const { id, largeKey, thumbnailKey } of over) {
      if (!(await ctx.tx((ctx) => repo.remove(ctx, id)))) continue;
      for (const key of [largeKey, thumbnailKey]) await ctx.media.remove(key);
      removed += 1;
    }
    if (over.length < AT_ONCE) return { removed };
  }
}
