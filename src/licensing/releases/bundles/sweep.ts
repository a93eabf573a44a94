import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { locationOf } from '#kernel/storage/location.ts';
import * as repo from './repository.ts';
import { lostBefore } from './upload.ts';
import { deleteClaimed } from './withdraw.ts';

/** Of one query; a run goes on until nothing is due. */
const PORTION = 200;

/**
 * A file that no row knows was not put there by this database: it may be one that was restored from a backup, and
 * nothing tells yet whether the file will be wanted again.
 */
const UNKNOWN_DAYS = 30;

/**
 * Deletes bundles that nothing refers to (reliability M25; decision 0024): contents that no release has and nobody has
 * sent for a day are marked, a day later their bytes go, then their rows. An upload of the same bytes takes the mark
 * away, or waits while they are being deleted.
 *
 * @returns `marked` rows, `removed` contents, `unknown` files that no row knew, `abandoned` uploads, and contents that
 *   `failed` and are logged
 */
export async function sweep(ctx: Ctx): Promise<Record<string, number>> {
  const dayAgo = addSeconds(ctx.now(), -SECONDS_PER_DAY);
  const marked = await ctx.tx((ctx) => repo.markUnused(ctx, dayAgo));
  const known = await removeDue(ctx, dayAgo);
  const unknown = await removeUnknown(ctx);
  const abandoned = await ctx.storage.dropAbandoned(Date.parse(dayAgo));
  return {
    marked,
    removed: known.removed,
    unknown: unknown.removed,
    abandoned,
    failed: known.failed + unknown.failed,
  };
}

interface Removed {
  removed: number;
  failed: number;
}

async function removeDue(ctx: Ctx, dayAgo: string): Promise<Removed> {
  const tally = { removed: 0, failed: 0 };
  for (;;) {
    const digests = await repo.listDue(ctx, dayAgo, lostBefore(ctx), PORTION);
    for (const sha256 of digests) {
      await remove(ctx, sha256, tally, () =>
        ctx.tx((ctx) => repo.claimDue(ctx, sha256, dayAgo, lostBefore(ctx))),
      );
    }
    // What failed is claimed now and not due again before the claim is lost.
    if (digests.length < PORTION) return tally;
  }
}

async function removeUnknown(ctx: Ctx): Promise<Removed> {
  const tally = { removed: 0, failed: 0 };
  const before = Date.parse(addSeconds(ctx.now(), -UNKNOWN_DAYS * SECONDS_PER_DAY));
  for await (const digests of inPortions(ctx.storage.list(before))) {
    const known = await repo.known(ctx, digests);
    for (const sha256 of digests) {
      if (known.has(sha256)) continue;
      await remove(ctx, sha256, tally, () =>
        ctx.tx((ctx) => repo.claimUnknown(ctx, sha256, locationOf(sha256))),
      );
    }
  }
  return tally;
}

/** One that cannot be deleted must not keep the others from it. */
async function remove(
  ctx: Ctx,
  sha256: string,
  tally: Removed,
  claim: () => Promise<string | null>,
): Promise<void> {
  try {
    const claimedAt = await claim();
    if (claimedAt === null) return;
    await deleteClaimed(ctx, sha256, claimedAt);
    tally.removed += 1;
  } catch (error) {
    tally.failed += 1;
    ctx.log.error({ err: error, sha256 }, 'a bundle that nothing refers to could not be deleted');
  }
}

/** Digests of locations, so many at a time. */
async function* inPortions(locations: AsyncIterable<string>): AsyncGenerator<string[]> {
  let portion: string[] = [];
  for await (const location of locations) {
    portion.push(location.slice(location.indexOf('/') + 1));
    if (portion.length < PORTION) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
