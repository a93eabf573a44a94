import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Leftovers, startLeftovers } from '#kernel/jobs/leftovers.ts';
import { paced } from '#kernel/jobs/pace.ts';
import { MOST_CLAIMED } from '../activations/index.ts';
import { type Candidates, type Culled, cullTogether, type Watches } from './missed.ts';
import * as repo from './repository.ts';

/**
 * How a run is cut (licensing 4.5; 5.1 C12, C16; decision 0015). Jobs may handle 5,000 rows and leave the rest to
 * the next one: five minutes per 5,000 machines would hold dead seats for an hour after an outage. A run handles ten
 * times as many and rests after every transaction instead; then it ends, so that its lane is free for other jobs.
 *
 * Within a run nothing is held for long: windows are read without locks, and a transaction takes some licenses, in the
 * order of their ids (C9).
 */
const MOST_MACHINES = 50_000;

type Tally = Culled & Record<string, number>;

/**
 * Applies the effective policy to every machine that missed its heartbeat (D64 to D66): frees the slot, suspends the
 * license, or only tells. Licenses that are not ACTIVE are left alone (D34).
 *
 * @returns `deactivated` and `notified` machines, `suspended` licenses
 * @throws PartlyDone when licenses failed, after all others were handled
 */
export async function cull(ctx: Ctx): Promise<Tally> {
  const tally: Tally = { deactivated: 0, suspended: 0, notified: 0 };
  const watches = await watchesAt(ctx, ctx.now());
  if (watches.size === 0) return tally;
  const leftovers = startLeftovers(ctx, { job: 'heartbeat-cull', what: 'license' });
  const newest = [...watches.values()].reduce((max, { cutoff }) => (cutoff > max ? cutoff : max), '');
  let handled = 0;
  let after: repo.Place | null = null;
  do {
    const from: repo.Place | null = after;
    const window: repo.Unseen[] = await paced(() => repo.listUnseen(ctx, newest, from));
    after = window.length < repo.WINDOW ? null : (window.at(-1) ?? null);
    const candidates = candidatesIn(window, watches);
    for (const group of groupsOf(candidates)) {
      await paced(() => cullGroup(ctx, group, watches, { tally, leftovers }));
    }
    handled += candidates.reduce((sum, { activationIds }) => sum + activationIds.length, 0);
  } while (after !== null && handled < MOST_MACHINES);
  return leftovers.settle(tally);
}

/** What each policy counts as stale at the start of a run. A machine that is stale then stays so unless it is seen. */
async function watchesAt(ctx: Ctx, now: string): Promise<Watches> {
  const policies = await repo.listWatchingPolicies(ctx);
  return new Map(
    policies.map(({ id, heartbeatInterval, strategy }) => [
      id,
      { strategy, cutoff: addSeconds(now, -heartbeatInterval * 60) },
    ]),
  );
}

/** The stale machines of a window by license, licenses by tenant and in the order of their ids. */
function candidatesIn(window: readonly repo.Unseen[], watches: Watches): Candidates[] {
  const byLicense = new Map<string, Candidates & { activationIds: string[] }>();
  for (const { id, licenseId, tenantId, lastSeenAt, isNotified, policyId } of window) {
    const watch = policyId === null ? undefined : watches.get(policyId);
    if (watch === undefined || lastSeenAt >= watch.cutoff) continue;
    if (watch.strategy === 'NO_ACTION' && isNotified) continue;
    const known = byLicense.get(licenseId);
    if (known) known.activationIds.push(id);
    else byLicense.set(licenseId, { licenseId, tenantId, activationIds: [id] });
  }
  const place = ({ tenantId, licenseId }: Candidates) => `${tenantId} ${licenseId}`;
  return [...byLicense.values()].sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** Licenses of one tenant for a transaction each. One with many machines is spread over several. */
function groupsOf(candidates: readonly Candidates[]): Candidates[][] {
  const groups: Candidates[][] = [];
  let machines = 0;
  for (const { activationIds, ...license } of candidates) {
    for (let i = 0; i < activationIds.length; i += MOST_CLAIMED) {
      const some = activationIds.slice(i, i + MOST_CLAIMED);
      const group = groups.at(-1);
      machines += some.length;
      if (group && machines <= MOST_CLAIMED && group[0]?.tenantId === license.tenantId) {
        group.push({ ...license, activationIds: some });
      } else {
        groups.push([{ ...license, activationIds: some }]);
        machines = some.length;
      }
    }
  }
  return groups;
}

/** A group that fails is tried again license by license: one of them must not keep the others from it. */
async function cullGroup(
  ctx: Ctx,
  group: readonly Candidates[],
  watches: Watches,
  { tally, leftovers }: { tally: Tally; leftovers: Leftovers },
): Promise<void> {
  const attempt = async (some: readonly Candidates[]): Promise<void> => {
    const culled = await cullTogether(ctx.with({ tenantId: some[0]?.tenantId ?? '' }), some, watches);
    for (const name of ['deactivated', 'suspended', 'notified'] as const) tally[name] += culled[name];
  };
  const whole = await attempt(group).then(
    () => true,
    () => false,
  );
  if (whole) return;
  for (const one of group) await leftovers.attempt(one.licenseId, () => attempt([one]));
}
