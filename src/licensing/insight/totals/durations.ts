import type { Ctx } from '#kernel/context.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { daysOf, eachDay, listCallDays, percentile, type RangeAsked } from '../statistics/index.ts';
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
  const found = new Map((await listCallDays(ctx, range)).map((one) => [one.day, one]));
  return {
    ...range,
    days: eachDay(range).map((day) => {
      const { calls = 0, failed = 0, steps = [] } = found.get(day) ?? {};
      const of = (percent: number) => percentile(steps, percent);
      return { day, calls, failed, p50: of(50), p95: of(95), p99: of(99) };
    }),
  };
}
