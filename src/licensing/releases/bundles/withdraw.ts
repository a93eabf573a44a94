import type { Ctx } from '#kernel/context.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { fail } from '#licensing/contract/errors.ts';
import * as repo from './repository.ts';
import { lostBefore } from './upload.ts';

/**
 * Deletes the stored bytes of a withdrawn release, unless a release that is served has the same; not inside a
 * transaction. The claim comes first, so that an upload of the same bytes does not lose what it has just put there.
 *
 * @returns whether they are gone now
 * @throws StorageFailure; the claim is then taken up by `bundle-sweep`. AppError CONFLICT, reason CHANGED_MEANWHILE,
 *   while a claim stands: what it is for may have failed
 */
export async function unpublishFile(ctx: Ctx, sha256: string): Promise<boolean> {
  const claim = await ctx.tx((ctx) => repo.claimWithdrawn(ctx, sha256, lostBefore(ctx)));
  if (claim === null) return false;
  if (claim === 'taken') {
    throw fail(
      'CONFLICT',
      'the release is withdrawn, but someone else is deleting its stored bundle; if that failed, try again in an hour',
      { details: { reason: 'CHANGED_MEANWHILE', sha256 } },
    );
  }
  await deleteClaimed(ctx, sha256, claim.claimedAt);
  return true;
}

/** Deletes the bytes that this process has claimed, and says so in their row. */
export async function deleteClaimed(ctx: Ctx, sha256: string, claimedAt: string): Promise<void> {
  await ctx.storage.remove(locationOf(sha256));
  await ctx.tx((ctx) => repo.settle(ctx, sha256, claimedAt));
}
