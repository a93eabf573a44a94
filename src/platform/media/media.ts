import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { mediaEvents } from './events.ts';
import { dropFiles, variantKeys } from './files.ts';
import { mediaRows } from './queries.ts';
import type { Media } from './record.ts';
import * as repo from './repository.ts';
import { MediaUpdate, type MediaUpdateInput } from './schemas.ts';

/** @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<Media> {
  const [found] = await mediaRows.of(ctx, [id]);
  return found ?? missing(id);
}

/** @throws AppError NOT_FOUND */
export function missing(id: string): never {
  throw fail('NOT_FOUND', `picture ${id} does not exist`);
}

/** @throws AppError VALIDATION_ERROR for a picture that something wants to show, and that does not exist */
export async function requirePicture(ctx: Ctx, id: string | null | undefined): Promise<void> {
  if (id && !(await mediaRows.find(ctx, id)))
    throw invalidField('media_id', `picture ${id} does not exist; upload it first`);
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
 * @param first in the same transaction, before the picture is locked: whoever shows it is locked before it everywhere
 * @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, for one that is shown somewhere; what `first` throws
 */
export async function remove(
  ctx: Ctx,
  id: string,
  first: (ctx: Ctx) => Promise<void> = async () => undefined,
): Promise<void> {
  // The files are asked for when the transaction has ended, which a handle of it does not outlive.
  const after = ctx;
  await ctx.tx(async (ctx) => {
    await first(ctx);
    const media = await lock(ctx, id);
    await removeRow(ctx, media);
    await mediaEvents.tell(ctx, 'MEDIA_DELETED', id, { fileName: media.fileName }, { before: media });
    ctx.afterCommit(() => dropFiles(after, [...variantKeys(media), media.storageKey]));
  });
}

async function removeRow(ctx: Ctx, { id, fileName }: Media): Promise<void> {
  try {
    await repo.remove(ctx, id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw fail('CONFLICT', `picture ${fileName} is in use elsewhere; remove it there first`, {
      details: { reason: 'IN_USE' },
    });
  }
}
