import type { Ctx } from '#kernel/context.ts';
import { sweep } from '../activations/index.ts';
import { lockStanding } from '../validation/index.ts';
import * as repo from './repository.ts';

/** Licenses that are handled at the same time: on SQLite they share a commit, on Postgres they leave connections. */
const AT_ONCE = 4;
/** A license whose leases cannot be ended must not keep the others from it; many of them mean another fault. */
const MOST_FAILURES = 10;

/**
 * Ends the leases that have run out and tells LEASE_EXPIRED of each (spec, Floating seat lease; licensing 4.5).
 * Candidates are read without locks, then each license is handled in its own transaction (C12). One run looks at 5,000
 * leases at most and the next one goes on; until then they count nowhere (D75).
 *
 * @returns `expired`: leases that were ended; `licenses`: licenses that they belonged to; `failed`: licenses that were
 *   left to the next run and are logged, when there were any
 */
export async function expireLeases(ctx: Ctx): Promise<Record<string, number>> {
  const counts = { expired: 0, licenses: 0 };
  const failures: unknown[] = [];
  const due = (await repo.listDue(ctx)).values();
  const worker = async (): Promise<void> => {
    for (const { licenseId, tenantId } of due) {
      if (failures.length >= MOST_FAILURES) return;
      try {
        const expired = await expireOf(ctx.with({ tenantId }), licenseId);
        counts.expired += expired;
        if (expired > 0) counts.licenses += 1;
      } catch (error) {
        failures.push(error);
        ctx.log.error({ err: error, licenseId }, 'the leases of a license were not ended');
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length >= MOST_FAILURES) throw failures[0];
  return failures.length === 0 ? counts : { ...counts, failed: failures.length };
}

/** Another process, or a checkout, may have ended them meanwhile: then there is nothing to do. */
const expireOf = (ctx: Ctx, licenseId: string): Promise<number> =>
  ctx.tx(async (ctx) => {
    const standing = await lockStanding(ctx, { id: licenseId }, '', ctx.now());
    return standing ? sweep(ctx, standing, ctx.now()) : 0;
  });
