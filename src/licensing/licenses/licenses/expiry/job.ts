import type { Ctx } from '#kernel/context.ts';
import { startLeftovers } from '#kernel/jobs/leftovers.ts';
import { lockAndExpire } from '../lock.ts';
import * as repo from './repository.ts';

const MAX_ROWS = 5000;

/**
 * Persists EXPIRED and emits LICENSE_EXPIRED exactly once per date; answers computed the status long before (D34).
 * Candidates are read without locks, then each license is handled in its own transaction (C12).
 *
 * @returns `expired`: rows that changed; `announced`: events that were written
 * @throws PartlyDone when licenses failed, after all others were handled
 */
export async function expireLicenses(ctx: Ctx): Promise<{ expired: number; announced: number }> {
  const counts = { expired: 0, announced: 0 };
  const leftovers = startLeftovers(ctx, { job: 'license-expiry', what: 'license' });
  let after: repo.DueLicense | null = null;
  for (let handled = 0; handled < MAX_ROWS; ) {
    const due: repo.DueLicense[] = await repo.listDueToExpire(ctx, after);
    for (const { id, tenantId } of due) {
      await leftovers.attempt(id, () => expireOne(ctx.with({ tenantId }), id, counts));
    }
    // What failed is still due: it is walked past, and does not use up the run.
    handled = counts.expired;
    after = due.at(-1) ?? null;
    if (after === null) break;
  }
  return leftovers.settle(counts);
}

/** Another process, or a use case that locked the license, may have persisted it meanwhile. */
async function expireOne(
  ctx: Ctx,
  id: string,
  counts: { expired: number; announced: number },
): Promise<void> {
  const swept = await ctx.tx((ctx) => lockAndExpire(ctx, { id }, '', ctx.now()));
  if (swept?.expired) counts.expired += 1;
  if (swept?.announced) counts.announced += 1;
}
