import { setImmediate as nextTurn } from 'node:timers/promises';
import { addSeconds, sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Candidates, type Culled, cullTogether, type Watches } from './missed.ts';
import * as repo from './repository.ts';

/**
 * How a run is cut (licensing 4.5; 5.1 C12, C16). 4.5 lets a run handle 5,000 rows and then yield: here it pauses
 * after each portion of 5,000 and goes on where it stopped, instead of leaving the rest to the next run. Five minutes
 * per 5,000 machines would hold dead seats for an hour after an outage. Ten portions end a run, because the jobs of a
 * process run one after the other; the next run goes on.
 *
 * Within a portion nothing is held for long either: windows are read without locks, and a transaction takes a few
 * licenses, in the order of their ids (C9). One license each would cost a commit each, which is most of the time.
 */
const PORTION = 5000;
const PORTIONS = 10;
const PAUSE_MS = 20;
/** An event each: on SQLite a transaction of so many stays far below 50 ms (C16). */
const MACHINES_PER_TRANSACTION = 12;
const TRANSACTIONS_AT_ONCE = 2;
/** A license that cannot be culled must not keep the others from it; many of them mean that something else is wrong. */
const MOST_FAILURES = 10;

interface Tally extends Culled, Record<string, number> {
  failed: number;
}

/**
 * Applies the effective policy to every machine that missed its heartbeat (D64 to D66): frees the slot, suspends the
 * license, or only tells. Licenses that are not ACTIVE are left alone (D34).
 *
 * @returns `deactivated` and `notified` machines, `suspended` licenses, and licenses that `failed` and are logged
 */
export async function cull(ctx: Ctx): Promise<Tally> {
  const tally: Tally = { deactivated: 0, suspended: 0, notified: 0, failed: 0 };
  const watches = await watchesAt(ctx, ctx.now());
  if (watches.size === 0) return tally;
  const newest = [...watches.values()].reduce((max, { cutoff }) => (cutoff > max ? cutoff : max), '');
  let handled = 0;
  let after: repo.Place | null = null;
  do {
    const window: repo.Unseen[] = await repo.listUnseen(ctx, newest, after);
    after = window.length < repo.WINDOW ? null : (window.at(-1) ?? null);
    const before = handled;
    handled += await cullWindow(ctx, window, watches, tally);
    const isPortionDone = Math.floor(handled / PORTION) > Math.floor(before / PORTION);
    // Reads of SQLite never wait: without a turn of the event loop a long walk would hold up every request.
    await (isPortionDone ? sleep(PAUSE_MS) : nextTurn());
  } while (after !== null && handled < PORTION * PORTIONS);
  return tally;
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

/** @returns how many machines were candidates */
async function cullWindow(
  ctx: Ctx,
  window: readonly repo.Unseen[],
  watches: Watches,
  tally: Tally,
): Promise<number> {
  const candidates = candidatesIn(window, watches);
  const groups = groupsOf(candidates);
  for (let i = 0; i < groups.length; i += TRANSACTIONS_AT_ONCE) {
    const some = groups.slice(i, i + TRANSACTIONS_AT_ONCE);
    await Promise.all(some.map((group) => cullGroup(ctx, group, watches, tally)));
    // SQLite answers without ever waiting: the requests that came meanwhile get their turn here.
    await nextTurn();
  }
  return candidates.reduce((sum, { activationIds }) => sum + activationIds.length, 0);
}

/** The stale machines of a window by license, licenses in the order of their ids. */
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
  return [...byLicense.values()].sort((a, b) => (a.licenseId < b.licenseId ? -1 : 1));
}

/** Licenses for a transaction each. One with many machines is spread over several, which wait for each other. */
function groupsOf(candidates: readonly Candidates[]): Candidates[][] {
  const groups: Candidates[][] = [];
  let machines = MACHINES_PER_TRANSACTION;
  for (const { activationIds, ...license } of candidates) {
    for (let i = 0; i < activationIds.length; i += MACHINES_PER_TRANSACTION) {
      const some = activationIds.slice(i, i + MACHINES_PER_TRANSACTION);
      machines += some.length;
      if (machines > MACHINES_PER_TRANSACTION) {
        groups.push([]);
        machines = some.length;
      }
      groups.at(-1)?.push({ ...license, activationIds: some });
    }
  }
  return groups;
}

async function cullGroup(
  ctx: Ctx,
  group: readonly Candidates[],
  watches: Watches,
  tally: Tally,
): Promise<void> {
  try {
    const culled = await cullTogether(ctx, group, watches);
    tally.deactivated += culled.deactivated;
    tally.suspended += culled.suspended;
    tally.notified += culled.notified;
  } catch (error) {
    if (group.length > 1) {
      for (const one of group) await cullGroup(ctx, [one], watches, tally);
      return;
    }
    tally.failed += 1;
    if (tally.failed >= MOST_FAILURES) throw error;
    ctx.log.error(
      { err: error, licenseId: group[0]?.licenseId },
      'the machines of a license were not culled',
    );
  }
}
