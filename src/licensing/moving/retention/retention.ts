import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { TableRecord } from '#kernel/db/record.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { takeSteps } from '#kernel/jobs/step.ts';
import { endedActivationDays, inboxDays } from '#licensing/contract/settings.ts';
import * as activations from '#licensing/licenses/activations/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import { longestChurnWindow } from './queries.ts';

/** How long a repeated record-usage is recognized (D81). */
const IDEMPOTENCY_DAYS = 1;

/**
 * What removes what has been kept for its time (licensing 4.5, 4.6, 8.3, 8.6): rows by the age that their records say,
 * and what goes in another way. Ended activations that count as churn are kept as long as the longest window of any
 * policy (D63). Hits of honeypots and records of usage stay: the one is evidence, the other adds up to the counters
 * (8.8). Each step is a transaction of its own, of a few hundred rows (C16).
 *
 * @returns a function that answers rows by what they were
 */
export function remover(
  records: () => readonly TableRecord[],
): (ctx: Ctx) => Promise<Record<string, number>> {
  let removeKept: ReturnType<typeof removerOf> | null = null;
  return async (ctx) => {
    removeKept ??= removerOf(records());
    return { ...(await removeOwn(ctx)), ...(await removeKept(ctx)) };
  };
}

async function removeOwn(ctx: Ctx): Promise<Record<string, number>> {
  const now = ctx.now();
  const daysAgo = (days: number) => addSeconds(now, -days * SECONDS_PER_DAY);
  const keptDays = ctx.settings.get(endedActivationDays);
  const churnDays = Math.max(keptDays, await longestChurnWindow(ctx));
  return {
    activations: await takeSteps(ctx, async (ctx, after: activations.EndedPlace | null) => {
      const times = { before: daysAgo(keptDays), churnBefore: daysAgo(churnDays) };
      const step = await activations.removeEnded(ctx, times, after);
      if (step.changed > 0) await licenses.unmark(ctx, step.licenseIds);
      return step;
    }),
    idempotencyKeys: await takeSteps(ctx, (ctx, after: usage.UsageKey | null) =>
      usage.clearUsageKeys(ctx, daysAgo(IDEMPOTENCY_DAYS), after),
    ),
    inboundBodies: await takeSteps(ctx, (ctx) => inbox.emptyInbox(ctx, daysAgo(ctx.settings.get(inboxDays)))),
  };
}
