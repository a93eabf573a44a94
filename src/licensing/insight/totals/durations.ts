import type { Ctx } from '#kernel/context.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { type Counted, listCounted, percentile } from '../requests/index.ts';
import { type DayRange, daysOf, eachDay, momentsOf, type RangeAsked } from '../statistics/index.ts';
import type { Durations } from './view.ts';

const DAYS = 30;

/**
 * How many calls a tenant had each day, and how long they took.
 *
 * @param asked which days to list, 30 when left out
 * @throws AppError VALIDATION_ERROR for a range out of bounds; INSUFFICIENT_SCOPE for who sees some products alone: calls
 *   are of all of them
 */
export async function durations(ctx: Ctx, asked: RangeAsked): Promise<Durations> {
  requireUnconfined(ctx.actor, 'license_product');
  const range = daysOf(ctx, asked, DAYS);
  const found = Map.groupBy(await callsBetween(ctx, range), ({ at }) => at);
  return {
    ...range,
    days: eachDay(range).map((day) => {
      const counted = found.get(day) ?? [];
      const sum = (count: (one: Counted) => number) => counted.reduce((all, one) => all + count(one), 0);
      return {
        day,
        calls: sum(({ requests }) => requests),
        failed: sum(({ refused, failed }) => refused + failed),
        p50: within(counted, 50),
        p95: within(counted, 95),
        p99: within(counted, 99),
      };
    }),
  };
}

/** Calls of the license API by day and duration; days without one are missing. */
export function callsBetween(ctx: Ctx, range: DayRange): Promise<Counted[]> {
  const { since, before } = momentsOf(range);
  return listCounted(ctx, { from: since, to: before }, 'day');
}

/** To a tenth of a millisecond: they are estimates. */
function within(counted: readonly Counted[], percent: number): number | null {
  const ms = percentile(counted, percent);
  return ms === null ? null : Math.round(ms * 10) / 10;
}
