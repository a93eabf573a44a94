import type { Ctx } from '#kernel/context.ts';
import { licensingEvent } from '../events.ts';
import { publish } from '../publish.ts';
import { findStanding, graceEnd, liveMachinesOf, subjectOf } from '../validation/index.ts';
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

async function expireOne(
  ctx: Ctx,
  id: string,
  counts: { expired: number; announced: number },
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const { changed, announced } = await repo.expire(ctx, id);
    if (!changed) return;
    counts.expired += 1;
    if (announced) return;
    const now = ctx.now();
    const standing = await findStanding(ctx, { id }, '', now);
    if (!standing?.license.validUntil) return;
    const details = {
      validUntil: standing.license.validUntil,
      graceExpiresAt: graceEnd(standing.license, standing.policy),
    };
    await publish(
      ctx,
      subjectOf(standing),
      { status: 'EXPIRED', machineIds: liveMachinesOf(id) },
      licensingEvent('LICENSE_EXPIRED', details),
    );
    counts.announced += 1;
  });
}
