import type { Ctx } from '#kernel/context.ts';
import { locationOf } from '#kernel/storage/location.ts';
import * as repo from './repository.ts';
import { lostBefore } from './upload.ts';

/**
 * Deletes the stored bytes of a withdrawn release, unless a release that is served has the same; not inside a
 * transaction. The claim comes first, so that an upload of the same bytes does not lose what it has just put there.
 *
 * @returns whether they are gone now
 * @throws StorageFailure; the claim is then taken up by `bundle-sweep`
 */
export async function unpublishFile(ctx: Ctx, sha256: string): Promise<boolean> {
  const claimedAt = await ctx.tx((ctx) => repo.claimWithdrawn(ctx, sha256, lostBefore(ctx)));
  if (claimedAt === null) return false;
  await deleteClaimed(ctx, sha256, claimedAt);
  return true;
}

/** Deletes the bytes that this process has claimed, and says so in their row. */
export async function deleteClaimed(ctx: Ctx, sha256: string, claimedAt: string): Promise<void> {
  await ctx.storage.remove(locationOf(sha256));
  await ctx.tx((ctx) => repo.settle(ctx, sha256, claimedAt));
}
