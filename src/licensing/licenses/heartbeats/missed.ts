import type { Ctx } from '#kernel/context.ts';
import type { CullStrategy } from '#licensing/contract/enumerations.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { publishAll, type Told } from '#licensing/publish.ts';
import { claimStale, holdStale, type MissedMachine } from '../activations/index.ts';
import { statusAt } from '../decision/index.ts';
import { lockStanding, suspendLocked } from '../licenses/index.ts';
import { listLiveMachines } from '../standing/index.ts';
import * as repo from './repository.ts';

/** How the policies with heartbeats treat machines that are not seen, by policy id. */
export type Watches = ReadonlyMap<
  string,
  {
    strategy: CullStrategy;
    /** ISO 8601 UTC; stale is what was last seen before it (D65). */
    cutoff: string;
  }
>;

/** Machines of one license that seem stale, longest unseen first. */
export interface Candidates {
  licenseId: string;
  tenantId: string;
  activationIds: readonly string[];
}

/** What became of machines and licenses. */
export interface Culled {
  deactivated: number;
  suspended: number;
  notified: number;
}

/**
 * Culls machines of some licenses of one tenant in one transaction, which locks each of them and repeats every condition
 * (C1, C12). A statement works on all licenses of a policy: one for each would cost most of the time.
 *
 * @param ctx of the tenant
 * @param group licenses in the order of their ids: locks are taken in this order (C9); at most MOST_CLAIMED machines
 */
export function cullTogether(ctx: Ctx, group: readonly Candidates[], watches: Watches): Promise<Culled> {
  return ctx.tx(async (ctx) => {
    const total: Culled = { deactivated: 0, suspended: 0, notified: 0 };
    const locked = await repo.lockWatched(
      ctx,
      group.map(({ licenseId }) => licenseId),
    );
    for (const [policyId, licenses] of byPolicy(await activeOf(ctx, locked))) {
      // The policy may have been exchanged since the candidates were read; one that is new since then waits for a run.
      const watch = watches.get(policyId);
      if (!watch) continue;
      const { strategy, cutoff } = watch;
      if (strategy === 'SUSPEND_LICENSE') {
        for (const license of licenses) total.suspended += await suspendOne(ctx, license, cutoff);
      } else {
        const missed = await claimOf(ctx, group, licenses, { strategy, cutoff });
        total[strategy === 'NO_ACTION' ? 'notified' : 'deactivated'] += missed;
      }
    }
    return total;
  });
}

/** The ACTIVE ones. A license whose date has passed becomes EXPIRED under this lock, as under any other (D34). */
async function activeOf(ctx: Ctx, locked: readonly repo.Watched[]): Promise<repo.Watched[]> {
  const now = ctx.now();
  const active: repo.Watched[] = [];
  for (const license of locked) {
    const status = statusAt(license, now);
    if (status === 'ACTIVE') active.push(license);
    else if (status !== license.status) await lockStanding(ctx, { id: license.id }, '', now);
  }
  return active;
}

function byPolicy(licenses: readonly repo.Watched[]): Map<string, repo.Watched[]> {
  const found = new Map<string, repo.Watched[]>();
  for (const license of licenses) {
    if (license.policyId === null) continue;
    found.set(license.policyId, [...(found.get(license.policyId) ?? []), license]);
  }
  return found;
}

/** @returns how many machines were ended or marked, and told of */
async function claimOf(
  ctx: Ctx,
  group: readonly Candidates[],
  licenses: readonly repo.Watched[],
  { strategy, cutoff }: { strategy: Exclude<CullStrategy, 'SUSPEND_LICENSE'>; cutoff: string },
): Promise<number> {
  const byId = new Map(licenses.map((license) => [license.id, license]));
  const ids = group.flatMap(({ licenseId, activationIds }) => (byId.has(licenseId) ? activationIds : []));
  const missed = await claimStale(ctx, strategy, ids, cutoff);
  const told = licenses.flatMap((license) => tellOf(license, missed.get(license.id) ?? [], strategy));
  if (told.length > 0) await publishAll(ctx, told);
  return told.length;
}

/**
 * A suspended license is not culled again, so this is the only time to tell of its machines: of all that are stale
 * (spec, Events), not only of those that the transaction was given.
 *
 * @returns 1 when it was suspended
 */
async function suspendOne(ctx: Ctx, license: repo.Watched, cutoff: string): Promise<number> {
  const missed = await holdStale(ctx, license.id, cutoff);
  if (missed.length === 0) return 0;
  const standing = await lockStanding(ctx, { id: license.id }, '', ctx.now());
  if (!standing) return 0;
  await publishAll(ctx, tellOf(license, missed, 'SUSPEND_LICENSE'));
  await suspendLocked(ctx, standing, { reason: 'HEARTBEAT_MISSED', note: null });
  return 1;
}

function tellOf(license: repo.Watched, missed: readonly MissedMachine[], strategy: CullStrategy): Told[] {
  const { id, keyPrefix, customerId, customerEmail, productName: name, productSlug: slug } = license;
  const subject = { licenseId: id, keyPrefix, customerId, product: { name, slug } };
  const after = { status: 'ACTIVE' as const, machineIds: readOnce(id) };
  return missed.map((machine) => ({
    subject,
    after,
    event: licensingEvent('HEARTBEAT_MISSED', { ...machine, strategy, customerEmail }),
  }));
}

/** Events of one transaction tell of the same machines: they are read once, and only for receivers. */
function readOnce(licenseId: string): (ctx: Ctx) => Promise<string[]> {
  let machineIds: Promise<string[]> | null = null;
  return (ctx) => {
    machineIds ??= listLiveMachines(ctx, licenseId, ctx.now());
    return machineIds;
  };
}
