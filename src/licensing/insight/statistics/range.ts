import { addSeconds, isoTime, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { timestamp } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';

/** Parameters of a range of days. */
export const rangeFields = {
  from: timestamp().optional().describe('From this day on, in UTC'),
  to: timestamp().optional().describe('Up to the end of this day, in UTC'),
};

/** What a query says of its range; ISO 8601 UTC. */
export interface RangeAsked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Days in UTC, both of them within: `2026-03-01`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Two years and a leap day: longer than anybody compares. */
const MOST_DAYS = 731;

/**
 * The days of a range, whole ones in UTC, of which the last one ends at `to` or after it.
 *
 * @param asked without `to`: up to today; without `from`: the last `days` days of it
 * @throws AppError VALIDATION_ERROR for a range that ends before it begins, or that is longer than two years
 */
export function daysOf(ctx: Ctx, { from, to }: RangeAsked, days: number): DayRange {
  const end = to ?? addSeconds(ctx.now(), 1);
  const start = from ?? addSeconds(end, -days * SECONDS_PER_DAY);
  if (start >= end) throw invalidField(from === undefined ? 'to' : 'from', 'must be before the end');
  const range = { from: start.slice(0, 10), to: isoTime(Date.parse(end) - 1).slice(0, 10) };
  if (countDays(range) > MOST_DAYS)
    throw invalidField('from', `must be at most ${MOST_DAYS} days before the end`);
  return range;
}

/** How many days a range has. */
const countDays = ({ from, to }: DayRange): number =>
  (Date.parse(to) - Date.parse(from)) / (SECONDS_PER_DAY * 1000) + 1;

/** Every day of a range, the first one first. */
export const eachDay = (range: DayRange): string[] =>
  Array.from({ length: countDays(range) }, (_, at) =>
    addSeconds(`${range.from}T00:00:00.000Z`, at * SECONDS_PER_DAY).slice(0, 10),
  );

/** The first and the last moment of a range. ISO 8601 UTC */
export const momentsOf = ({ from, to }: DayRange): { since: string; before: string } => ({
  since: `${from}T00:00:00.000Z`,
  before: addSeconds(`${to}T00:00:00.000Z`, SECONDS_PER_DAY),
});
