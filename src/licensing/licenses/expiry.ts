import type { Ctx } from '#kernel/context.ts';
import { lockAndExpire } from '../validation/index.ts';
import * as repo from './repository.ts';

const MAX_ROWS = 5000;

/**
 * Persists EXPIRED and emits LICENSE_EXPIRED exactly once per date; answers computed the status long before (D34).
 * Candidates are read without locks, then each license is handled in its own transaction (C12).
 *
 * @returns `expired`: rows that changed; `announced`: events that were written
 */
export async function expireLicenses(ctx: Ctx): Promise<{ expired: number; announced: number }> {
  const counts = { expired: 0, announced: 0 };
  for (let seen = 0; seen < MAX_ROWS; ) {
    const due = await repo.listDueToExpire(ctx);
    if (due.length === 0) break;
    for (const { id, tenantId } of due) await expireOne(ctx.with({ tenantId }), id, counts);
    seen += due.length;
  }
  return counts;
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
