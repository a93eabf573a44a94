import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { DiskFull, diskFull, StorageFailure } from '#kernel/storage/failure.ts';

/**
 * Does what staff asks for with a picture. Members of staff read why its file could not be stored, and can tell the
 * operator; the log has all of it.
 *
 * @throws AppError SERVER_ERROR in place of a StorageFailure; what `work` throws
 */
export async function whenStorageFails<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    ctx.log.error({ err: error, requestId: ctx.origin.requestId }, 'a picture could not be stored');
    const words = `${error.message}: ${error.hint}`;
    throw error instanceof DiskFull ? diskFull(words) : fail('SERVER_ERROR', words);
  }
}
