import { setImmediate as nextTurn } from 'node:timers/promises';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Step } from '#kernel/jobs/step.ts';
import { endedActivationDays, inboxDays, requestLogDays } from '#licensing/contract/settings.ts';
import * as activations from '#licensing/licenses/activations/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import * as repo from './repository.ts';

/**
 * Days for which observations are read, by kind: CHURN looks back 30 days and reports of refused machines a month, all
 * other rules of abuse detection a day at most (8.6). The hour is for clocks that differ.
 */
const OBSERVATION_DAYS: Readonly<Record<string, number>> = {
  CHURN: 31,
  MACHINE_DENIED: 31,
  IP_NET: 1.05,
  MACHINE_TRIED: 1.05,
  LIMIT: 1.05,
  BEAT_IP: 1.05,
};
/** Days for which refusals are counted: reports look back a month (6.10). */
const DENIAL_DAYS = 31;
/** How long a repeated record-usage is recognized (D81). */
const IDEMPOTENCY_DAYS = 1;
/** A million rows of a table in one run, so that other jobs get their turn; the rest waits for the next run. */
const MOST_CHANGING_STEPS = 2000;

/**
 * Removes what has been kept for its time (licensing 4.5, 4.6, 8.3, 8.6). Ended activations that count as churn are
 * kept as long as the longest window of any policy (D63). Hits of honeypots and records of usage stay: the one is
 * evidence, the other adds up to the counters (8.8). Each step is a transaction of its own, of a few hundred rows
 * (C16).
 *
 * @returns rows by what they were
 */
export async function removeOld(ctx: Ctx): Promise<Record<string, number>> {
  const now = ctx.now();
  const daysAgo = (days: number) => addSeconds(now, -days * SECONDS_PER_DAY);
  const keptDays = ctx.settings.get(endedActivationDays);
  const churnDays = Math.max(keptDays, await repo.longestChurnWindow(ctx));
  return {
    activations: await repeat(ctx, (ctx, after: activations.EndedPlace | null) =>
      activations.removeEnded(ctx, { before: daysAgo(keptDays), churnBefore: daysAgo(churnDays) }, after),
    ),
    idempotencyKeys: await repeat(ctx, (ctx, after: usage.UsageKey | null) =>
      usage.clearUsageKeys(ctx, daysAgo(IDEMPOTENCY_DAYS), after),
    ),
    requests: await repeat(ctx, (ctx) => repo.removeRequests(ctx, daysAgo(ctx.settings.get(requestLogDays)))),
    observations: await removeObservations(ctx, daysAgo),
    denials: await repeat(ctx, (ctx) => repo.removeDenials(ctx, daysAgo(DENIAL_DAYS))),
    inboundBodies: await repeat(ctx, (ctx) => inbox.emptyInbox(ctx, daysAgo(ctx.settings.get(inboxDays)))),
    inboundRefusals: await repeat(ctx, (ctx) =>
      inbox.removeRefusals(ctx, daysAgo(ctx.settings.get(inboxDays))),
    ),
  };
}

async function removeObservations(ctx: Ctx, daysAgo: (days: number) => string): Promise<number> {
  let removed = 0;
  for (const [kind, days] of Object.entries(OBSERVATION_DAYS))
    removed += await repeat(ctx, (ctx) => repo.removeObservations(ctx, kind, daysAgo(days)));
  return removed;
}

/**
 * Takes steps until one says that it was the last; the sum of what they changed. Steps over rows that stay do not
 * count: each run begins anew, and would never come to what lies behind many of them.
 */
async function repeat<Place>(
  ctx: Ctx,
  take: (ctx: Ctx, after: Place | null) => Promise<Step<Place>>,
): Promise<number> {
  let changed = 0;
  let after: Place | null = null;
  for (let changing = 0; changing < MOST_CHANGING_STEPS; ) {
    const from: Place | null = after;
    const step: Step<Place> = await ctx.tx((ctx) => take(ctx, from));
    changed += step.changed;
    if (step.changed > 0) changing += 1;
    if (step.next === null) break;
    after = step.next;
    await nextTurn();
  }
  return changed;
}
