/** Days without a time, of which both ends count: `2026-03-01`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export const GROUPS = ['day', 'week', 'month'] as const;
export type Group = (typeof GROUPS)[number];

const DAY_MS = 86_400_000;
const msOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** So many days later, or earlier. */
export const addDays = (day: string, days: number): string => dayOf(msOf(day) + days * DAY_MS);

/** How many days a range has. */
export const countDays = ({ from, to }: DayRange): number => (msOf(to) - msOf(from)) / DAY_MS + 1;

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;
/** The first day of the month that follows. */
const nextMonth = (day: string): string => firstOfMonth(addDays(firstOfMonth(day), 31));
const lastOfMonth = (day: string): string => addDays(nextMonth(day), -1);

/** A range as the whole months in it and the days around them; null where there is none. */
export function partsOf({
  from,
  to,
}: DayRange): Readonly<Record<'before' | 'months' | 'after', DayRange | null>> {
  const first = from === firstOfMonth(from) ? from : nextMonth(from);
  const last = to === lastOfMonth(to) ? to : addDays(firstOfMonth(to), -1);
  if (first > last) return { before: { from, to }, months: null, after: null };
  const before = { from, to: addDays(first, -1) };
  const after = { from: addDays(last, 1), to };
  return {
    before: before.from <= before.to ? before : null,
    months: { from: first.slice(0, 7), to: last.slice(0, 7) },
    after: after.from <= after.to ? after : null,
  };
}

/** How many months there are from one to another: `2026-01`. */
export const countMonths = ({ from, to }: DayRange): number =>
  (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 + Number(to.slice(5)) - Number(from.slice(5)) + 1;

/** The Monday of the week of a day. */
export const mondayOf = (day: string): string => addDays(day, -((new Date(msOf(day)).getUTCDay() + 6) % 7));

/** What a day is shown as: itself, the Monday of its week, or its month. */
export function periodOf(day: string, group: Group): string {
  if (group === 'day') return day;
  return group === 'week' ? mondayOf(day) : day.slice(0, 7);
}

/** The periods of a range, the first one first. */
export function periodsOf({ from, to }: DayRange, group: Group): string[] {
  const found: string[] = [];
  let day = group === 'day' ? from : group === 'week' ? mondayOf(from) : firstOfMonth(from);
  while (day <= to) {
    found.push(periodOf(day, group));
    if (group === 'month') day = nextMonth(day);
    else day = addDays(day, group === 'day' ? 1 : 7);
  }
  return found;
}

/** The days of a period. */
export function daysOfPeriod(period: string, group: Group): DayRange {
  if (group === 'day') return { from: period, to: period };
  if (group === 'week') return { from: period, to: addDays(period, 6) };
  return { from: `${period}-01`, to: lastOfMonth(`${period}-01`) };
}

export const COMPARED = ['previous', 'year'] as const;
export type Compared = (typeof COMPARED)[number];

/** As many days right before, or the same days of the year before. */
export function comparedRange(range: DayRange, compared: Compared): DayRange {
  if (compared === 'previous') {
    const days = countDays(range);
    return { from: addDays(range.from, -days), to: addDays(range.from, -1) };
  }
  return { from: yearBefore(range.from), to: yearBefore(range.to) };
}

/** The 29th of February has the 28th before it. */
function yearBefore(day: string): string {
  const year = String(Number(day.slice(0, 4)) - 1).padStart(4, '0');
  return day.endsWith('-02-29') ? `${year}-02-28` : `${year}${day.slice(4)}`;
}
