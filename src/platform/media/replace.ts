import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail } from '#kernel/service/errors.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import { mediaEvents } from './events.ts';
import { dropFiles } from './files.ts';
import { missing } from './media.ts';
import type { Media } from './record.ts';
import * as repo from './repository.ts';
import { judged, nameOf, type SentPicture } from './upload.ts';

/**
 * Gives a picture another file: it keeps its id, its words and where it is shown. What was made of the old file is shown
 * until the job `media-variants` has made the new sizes; then their addresses change. Not inside a transaction.
 *
 * @param changed in the same transaction
 * @throws AppError as `upload` does; NOT_FOUND; CONFLICT, reason DUPLICATE, for the file of another picture
 */
export async function replace(
  ctx: Ctx,
  id: string,
  sent: Pick<SentPicture, 'source' | 'fileName'>,
  changed: (ctx: Ctx) => Promise<unknown> = async () => undefined,
): Promise<Media> {
  if (!(await repo.find(ctx, id))) missing(id);
  return judged(ctx, sent, async (staged, found) => {
    const { sha256, size } = staged;
    const { location } = await staged.keep(partLocationOf(sha256, 'original'));
    const { mime, width, height } = found;
    const file = { sha256, mime, width, height, bytes: size, storageKey: location };
    const fileName = sent.fileName === null ? {} : { fileName: nameOf(sent.fileName, found) };
    return ctx.tx(async (inside) => {
      const before = (await repo.lock(inside, { id })) ?? missing(id);
      const other = await repo.findBySha(inside, sha256);
      if (other && other.id !== id) throw taken(other.fileName);
      const now = inside.now();
      const after: Media = {
        ...{ ...before, ...file, ...fileName },
        ...{ status: 'processing', failure: null, updatedAt: now },
      };
      await store(inside, after);
      const named = { fileName: after.fileName };
      await mediaEvents.tell(inside, 'MEDIA_UPDATED', id, named, { before, after });
      await changed(inside);
      inside.afterCommit(() => dropFiles(ctx, [before.storageKey]));
      return after;
    });
  });
}

async function store(ctx: Ctx, media: Media): Promise<void> {
  try {
    await repo.update(ctx, media);
  } catch (error) {
    if (isUniqueViolation(error)) throw taken(media.fileName);
    throw error;
  }
}

const taken = (fileName: string) =>
  fail('CONFLICT', `the file is picture ${fileName} of the library already; use that picture`, {
    details: { reason: 'DUPLICATE' },
  });
