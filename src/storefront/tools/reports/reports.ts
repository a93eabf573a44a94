import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { dayIn, startOfDay } from '#storefront/contract/local-day.ts';
import { currencyCode, timezone } from '#storefront/contract/settings.ts';
import {
  addDays,
  type Compared,
  comparedRange,
  countDays,
  type DayRange,
  type Group,
} from './daily/ranges.ts';
import { reading } from './daily/read.ts';
import { REPORT_NAMES, reportOf } from './kinds/kinds.ts';
import type { Against, Answer, Report, Row } from './kinds/report.ts';

/** A range may be ten years long. */
const MOST_DAYS = 3660;
/** By day there would be too many rows. */
const MOST_DAYS_BY_DAY = 1100;
const DEFAULT_DAYS = 30;
const FIRST_DAY = '1970-01-02';
const LAST_DAY = '9998-12-31';
/** Rows of a list of the most. */
export const DEFAULT_LIMIT = 20;
export const MOST_LIMIT = 1000;
/** Places and ways to pay are few; a file has all rows. */
export const ALL_ROWS = 200_000;

/** What somebody asks of a report, as they wrote it. */
export interface Wish {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly group?: Group | undefined;
  readonly channel?: string | undefined;
  readonly currency?: string | undefined;
  readonly compare?: Compared | undefined;
  readonly limit?: number | undefined;
}

/** A report as it is answered. */
export interface Reported extends Answer, DayRange {
  readonly name: string;
  readonly group: Group;
  readonly currency: string;
  readonly zone: string;
  readonly compared: (DayRange & Against) | null;
  /** How far counting all orders again is; null when all are counted. */
  readonly counting: { readonly done: number; readonly total: number } | null;
  /** More has changed in the last seconds than is counted here. */
  readonly isBehind: boolean;
}

/** The day of a time, or the day itself. @throws AppError VALIDATION_ERROR for what is neither */
function dayOf(field: string, asked: string, zone: string): string {
  const day = asked.includes('T') && !Number.isNaN(Date.parse(asked)) ? dayIn(asked, zone) : asked;
  if (startOfDay(day, zone) === null) throw invalidField(field, 'must be a day such as 2026-01-31');
  if (day < FIRST_DAY || day > LAST_DAY)
    throw invalidField(field, `must be between ${FIRST_DAY} and ${LAST_DAY}`);
  return day;
}

/** The days of a range in the time zone of the shop; without an end up to today, without a start the last 30. */
export function rangeOf(ctx: Ctx, { from, to }: Wish, zone: string): DayRange {
  const end = to === undefined ? dayIn(ctx.now(), zone) : dayOf('to', to, zone);
  const start = from === undefined ? addDays(end, 1 - DEFAULT_DAYS) : dayOf('from', from, zone);
  const range = { from: start, to: end };
  if (start > end) throw invalidField(from === undefined ? 'to' : 'from', 'must not be after the end');
  if (countDays(range) > MOST_DAYS)
    throw invalidField('from', `must be at most ${MOST_DAYS} days before the end`);
  return range;
}

async function groupOf(wish: Wish, range: DayRange): Promise<Group> {
  const { grainOf } = await import('#platform/charts/index.ts');
  const group = wish.group ?? grainOf(countDays(range));
  if (group === 'day' && countDays(range) > MOST_DAYS_BY_DAY)
    throw invalidField('group', `must be week or month for more than ${MOST_DAYS_BY_DAY} days`);
  return group;
}

/** @throws AppError NOT_FOUND for an unknown name */
export function knownReport(name: string): Report {
  const report = reportOf(name);
  if (report) return report;
  throw fail('NOT_FOUND', `report ${JSON.stringify(name.slice(0, 40))} was not found`, {
    details: { hint: `known reports: ${REPORT_NAMES.join(', ')}` },
  });
}

/** @throws AppError INSUFFICIENT_SCOPE for a report that the actor may not see */
function requireSeen({ actor }: Ctx, { keyScope }: Report): void {
  const needed = actor.kind === 'api_key' ? keyScope : 'reports:read';
  if (allows(actor, needed)) return;
  throw fail('INSUFFICIENT_SCOPE', `This report needs the permission ${needed}`, {
    details: { required: needed },
  });
}

/**
 * A report of some days in the time zone of the shop, from the tables of figures by day: no order is looked at but those
 * that changed in the last seconds.
 *
 * @throws AppError NOT_FOUND for an unknown report; INSUFFICIENT_SCOPE; VALIDATION_ERROR for a range that ends before it
 *   begins, is too long, or is no range
 */
export async function report(ctx: Ctx, name: string, wish: Wish): Promise<Reported> {
  const known = knownReport(name);
  requireSeen(ctx, known);
  const zone = ctx.settings.get(timezone);
  const range = rangeOf(ctx, wish, zone);
  const group = await groupOf(wish, range);
  const currency = wish.currency ?? ctx.settings.get(currencyCode);
  const limit = wish.limit ?? (known.hasLimit ? DEFAULT_LIMIT : MOST_LIMIT);
  const asked = { currency, source: known.hasChannel ? wish.channel : undefined, group, limit, zone };
  const before = wish.compare && comparedRange(range, wish.compare);
  return reading(ctx, async (book) => {
    const answer = await known.run(ctx, book, { ...asked, ...range });
    const compared =
      before && known.compared
        ? { ...before, ...(await known.compared(ctx, book, { ...asked, ...before })) }
        : null;
    const { state } = book;
    const isCounting = state !== null && state.afterPlacedAt !== null;
    return {
      name,
      ...range,
      group,
      currency,
      zone,
      ...answer,
      compared,
      counting: isCounting ? { done: state.done, total: state.total } : null,
      isBehind: book.isBehind,
    };
  });
}

/** A figure of some totals; 0 where there is none. */
export const figureOf = (totals: Row, name: string): number => Number(totals[name] ?? 0);
