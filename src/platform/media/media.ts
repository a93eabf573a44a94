import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { VARIANT_NAMES } from '../pictures/index.ts';
import { mediaEvents } from './events.ts';
import { mediaRows } from './queries.ts';
import type { Media } from './record.ts';
import * as repo from './repository.ts';
import { MediaUpdate, type MediaUpdateInput } from './schemas.ts';

/** @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<Media> {
  const [found] = await mediaRows.of(ctx, [id]);
  return found ?? missing(id);
}

function missing(id: string): never {
  throw fail('NOT_FOUND', `picture ${id} does not exist`);
}

async function lock(ctx: Ctx, id: string, ifMatch?: string): Promise<Media> {
  const media = (await repo.lock(ctx, { id })) ?? missing(id);
  requireUnchanged(`picture ${media.fileName}`, media.updatedAt, ifMatch);
  return media;
}

async function store(ctx: Ctx, before: Media, wanted: Media): Promise<Media> {
  const after = { ...wanted, updatedAt: ctx.now() };
  await repo.update(ctx, after);
  await mediaEvents.tell(ctx, 'MEDIA_UPDATED', after.id, { fileName: after.fileName }, { before, after });
  return after;
}

/**
 * Changes what is said of a picture; what is not sent stays.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; PRECONDITION_FAILED
 */
export async function change(
  ctx: Ctx,
  id: string,
  input: MediaUpdateInput,
  { ifMatch }: { readonly ifMatch?: string | undefined } = {},
): Promise<Media> {
  const { alt, folder, focalX, focalY } = checkInput(MediaUpdate, input);
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id, ifMatch);
    const after: Media = {
      ...before,
      alt: alt === undefined ? before.alt : alt || null,
      folder: folder === undefined ? before.folder : folder || null,
      focalX: focalX ?? before.focalX,
      focalY: focalY ?? before.focalY,
    };
    const isSame = (['alt', 'folder', 'focalX', 'focalY'] as const).every(
      (key) => before[key] === after[key],
    );
    return isSame ? before : store(ctx, before, after);
  });
}

/**
 * Has the variants made again from the original; those that there are stay until then.
 *
 * @param quality 1 to 100; that of the setting when it is left out
 * @throws AppError NOT_FOUND
 */
export const rebuild = (ctx: Ctx, id: string, quality?: number): Promise<Media> =>
  ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    return store(ctx, before, { ...before, status: 'processing', failure: null, quality: quality ?? null });
  });

/**
 * Deletes a picture and its files.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, for one that is shown somewhere
 */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const media = await lock(ctx, id);
    await removeRow(ctx, media);
    await mediaEvents.tell(ctx, 'MEDIA_DELETED', id, { fileName: media.fileName }, { before: media });
    ctx.afterCommit(() => removeFiles(ctx, media));
  });
}

async function removeRow(ctx: Ctx, { id, fileName }: Media): Promise<void> {
  try {
    await repo.remove(ctx, id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw fail('CONFLICT', `picture ${fileName} is shown elsewhere; take it away there first`, {
      details: { reason: 'IN_USE' },
    });
  }
}

/** A file that stays behind costs room and nothing else; the same picture may have been uploaded anew meanwhile. */
async function removeFiles(ctx: Ctx, { sha256, storageKey, variants }: Media): Promise<void> {
  try {
    if (await repo.findBySha(ctx, sha256)) return;
    const keys = variants === null ? [] : VARIANT_NAMES.map((name) => variants[name].key);
    for (const key of [...keys, storageKey]) await ctx.media.remove(key);
  } catch (error) {
    ctx.log.error({ err: error, sha256 }, 'files of a deleted picture could not be removed');
  }
}
