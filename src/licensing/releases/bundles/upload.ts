import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { type StagedObject, TooLarge } from '#kernel/storage/types.ts';
import { fail } from '#licensing/contract/errors.ts';
import * as repo from './repository.ts';

/** Deleting one file takes seconds at most: who claimed it so long ago has died. */
const CLAIM_SECONDS = 3600;

/** Claims from before this time belong to a process that died. */
export const lostBefore = (ctx: Ctx): string => addSeconds(ctx.now(), -CLAIM_SECONDS);

/**
 * Receives the bytes of a bundle. Outside a transaction, as `keep` of what it returns: that one also makes the row, so
 * that nothing sweeps the file away before a release names it. Whatever becomes of it, call `discard`.
 *
 * @throws AppError VALIDATION_ERROR with status 413 above `http.upload_limit`; what the source throws; StorageFailure
 */
export async function stageBundle(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<StagedObject> {
  return bundleStaged(ctx, await stage(ctx, source));
}

/** Takes bytes for a bundle that were received already, as the file of a form. As `stageBundle`. */
export function bundleStaged(ctx: Ctx, staged: StagedObject): StagedObject {
  const { sha256, sha512, size, path } = staged;
  const row = { sha256, sha512, size, location: locationOf(sha256) };
  return {
    sha256,
    sha512,
    size,
    path,
    async keep() {
      const isFree = await ctx.tx((ctx) => repo.touch(ctx, row, lostBefore(ctx)));
      if (!isFree) throw beingDeleted(sha256);
      return staged.keep();
    },
    discard: () => staged.discard(),
  };
}

async function stage(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<StagedObject> {
  try {
    return await ctx.storage.stage(source, ctx.uploadLimitBytes);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const { maxBytes } = error;
    // A bucket has a limit of its own.
    const hint =
      maxBytes === ctx.uploadLimitBytes
        ? 'raise http.upload_limit (APPCTL_UPLOAD_LIMIT)'
        : 'the storage does not accept larger objects';
    throw new AppError('VALIDATION_ERROR', 413, `the bundle has more than ${maxBytes} bytes`, {
      details: { maxBytes, hint },
    });
  }
}

/**
 * Makes kept bytes those of a release, in the transaction that writes the release.
 *
 * @param staged was kept at `location`
 * @throws AppError CONFLICT when the same bytes were deleted at this very moment
 */
export async function recordBundle(ctx: Ctx, { sha256 }: StagedObject, location: string): Promise<void> {
  if (location !== locationOf(sha256)) throw new Error(`bytes of ${sha256} were kept at ${location}`);
  if (!(await repo.touchPresent(ctx, sha256))) throw beingDeleted(sha256);
}

/**
 * Holds the bytes of a release that is about to be served, in its transaction: until it ends nobody deletes them.
 *
 * @throws AppError CONFLICT, reason FILE_MISSING, when they are gone or going
 */
export async function holdBundle(ctx: Ctx, sha256: string): Promise<void> {
  if (await repo.lockPresent(ctx, sha256)) return;
  throw fail('CONFLICT', 'the stored bundle was deleted; upload it again', {
    details: { reason: 'FILE_MISSING', sha256 },
  });
}

const beingDeleted = (sha256: string): AppError =>
  fail('CONFLICT', 'the stored copy of this file is being deleted; upload it again in a minute', {
    details: { reason: 'CHANGED_MEANWHILE', sha256 },
  });
