import type { Ctx } from '#kernel/context.ts';
import type { CullStrategy } from '../enumerations.ts';
import { licensingEvent } from '../events.ts';
import { suspendLocked } from '../licenses/index.ts';
import { publish } from '../publish.ts';
import { listLiveMachines, lockStanding, type Standing, statusAt, subjectOf } from '../validation/index.ts';
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
 * Culls machines of a few licenses in one transaction, which locks each of them and repeats every condition (C1, C12).
 *
 * @param group licenses in the order of their ids: locks are taken in this order (C9)
 */
export async function cullTogether(
  ctx: Ctx,
  group: readonly Candidates[],
  watches: Watches,
): Promise<Culled> {
  // All at once: on Postgres the statements of a group share their trips, in the order in which they are begun here.
  const outcomes = await ctx.tx((ctx) =>
    Promise.all(group.map((one) => cullLicense(ctx.with({ tenantId: one.tenantId }), one, watches))),
  );
  const total = (name: keyof Culled) => outcomes.reduce((sum, culled) => sum + culled[name], 0);
  return { deactivated: total('deactivated'), suspended: total('suspended'), notified: total('notified') };
}

const NOTHING: Culled = { deactivated: 0, suspended: 0, notified: 0 };

async function cullLicense(ctx: Ctx, candidates: Candidates, watches: Watches): Promise<Culled> {
  const { licenseId, activationIds } = candidates;
  const [standing, customerEmail] = await Promise.all([
    lockStanding(ctx, { id: licenseId }, '', ctx.now()),
    repo.findEmail(ctx, licenseId),
  ]);
  if (!standing || statusAt(standing.license, ctx.now()) !== 'ACTIVE') return NOTHING;
  // The policy may have been exchanged since the candidates were read; one that is new since then waits for a run.
  const watch = standing.policy ? watches.get(standing.policy.id) : undefined;
  if (!watch) return NOTHING;
  const { strategy, cutoff } = watch;
  // A suspended license is not culled again, so this is the only time to tell of its machines: of all that are stale
  // (spec, Events), not only of those that this transaction was given.
  const missed =
    strategy === 'SUSPEND_LICENSE'
      ? await repo.holdStale(ctx, licenseId, cutoff)
      : await repo.claimStale(ctx, strategy, activationIds, cutoff);
  if (missed.length === 0) return NOTHING;
  await tell(ctx, standing, missed, { strategy, customerEmail });
  if (strategy === 'NO_ACTION') return { ...NOTHING, notified: missed.length };
  if (strategy === 'DEACTIVATE_DEAD') return { ...NOTHING, deactivated: missed.length };
  await suspendLocked(ctx, standing, { reason: 'HEARTBEAT_MISSED', note: null });
  return { ...NOTHING, suspended: 1 };
}

async function tell(
  ctx: Ctx,
  standing: Standing,
  missed: readonly repo.MissedMachine[],
  rest: { strategy: CullStrategy; customerEmail: string | null },
): Promise<void> {
  const after = { status: 'ACTIVE' as const, machineIds: readOnce(standing.license.id) };
  await Promise.all(
    missed.map((machine) =>
      publish(ctx, subjectOf(standing), after, licensingEvent('HEARTBEAT_MISSED', { ...machine, ...rest })),
    ),
  );
}

/** Events of one transaction tell of the same machines: they are read once, and only for receivers. */
function readOnce(licenseId: string): (ctx: Ctx) => Promise<string[]> {
  let machineIds: Promise<string[]> | null = null;
  return (ctx) => {
    machineIds ??= listLiveMachines(ctx, licenseId, ctx.now());
    return machineIds;
  };
}
