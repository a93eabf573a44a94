import type { Ctx } from '#kernel/context.ts';
import { startLeftovers } from '#kernel/jobs/leftovers.ts';
import { sweep } from '../activations/index.ts';
import { lockStanding } from '../licenses/index.ts';
import * as repo from './repository.ts';

/** Licenses that are handled at the same time: on SQLite they share a commit, on Postgres they leave connections. */
const AT_ONCE = 4;

/**
 * Ends the leases that have run out and tells LEASE_EXPIRED of each (spec, Floating seat lease; licensing 4.5).
 * Candidates are read without locks, then each license is handled in its own transaction (C12). One run looks at 5,000
 * leases at most and the next one goes on; until then they count nowhere (D75).
 *
 * @returns `expired`: leases that were ended; `licenses`: licenses that they belonged to
 * @throws PartlyDone when licenses failed, after all others were handled
 */
export async function expireLeases(ctx: Ctx): Promise<Record<string, number>> {
  const counts = { expired: 0, licenses: 0 };
  const leftovers = startLeftovers(ctx, { job: 'lease-expiry', what: 'license' });
  const due = (await repo.listDue(ctx)).values();
  const worker = async (): Promise<void> => {
    for (const { licenseId, tenantId } of due) {
      await leftovers.attempt(licenseId, async () => {
        const expired = await expireOf(ctx.with({ tenantId }), licenseId);
        counts.expired += expired;
        if (expired > 0) counts.licenses += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return leftovers.settle(counts);
}

/** Another process, or a checkout, may have ended them meanwhile: then there is nothing to do. */
const expireOf = (ctx: Ctx, licenseId: string): Promise<number> =>
  ctx.tx(async (ctx) => {
    const standing = await lockStanding(ctx, { id: licenseId }, '', ctx.now());
    return standing ? sweep(ctx, standing, ctx.now()) : 0;
  });
