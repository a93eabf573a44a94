/** How long the time is that a point of a chart stands for. */
export type Grain = 'day' | 'week' | 'month';

const MOST_DAYS = 90;
/** Two years and a leap day. */
const MOST_WEEK_DAYS = 731;
const DAY_MS = 86_400_000;

/** Points of a chart: more than 90 days are weeks, more than two years months (admin.md 8). @param days of its range */
export function grainOf(days: number): Grain {
  if (days <= MOST_DAYS) return 'day';
  return days <= MOST_WEEK_DAYS ? 'week' : 'month';
}

/** Some days that one point stands for. */
export interface Span {
  /** The first of them: a day, a Monday or the first of a month. `2026-03-01` */
  readonly from: string;
  readonly to: string;
  /** Where they stand among the days: the first of them, and the one after the last. */
  readonly start: number;
  readonly end: number;
}

/**
 * The points that days make. Days before the first whole week or month are left out: as a point of their own they would
 * look like a bad one.
 *
 * @param days in UTC, without gaps, the first one first
 */
export function spansOf(days: readonly string[], grain: Grain): readonly Span[] {
  const starts = days.flatMap((day, at) => (isStart(day, grain) ? [at] : []));
  return starts.map((start, at) => {
    const end = starts[at + 1] ?? days.length;
    return { from: days[start] as string, to: days[end - 1] as string, start, end };
  });
}

function isStart(day: string, grain: Grain): boolean {
  if (grain === 'day') return true;
  const time = new Date(`${day}T00:00:00Z`);
  return grain === 'week' ? time.getUTCDay() === 1 : time.getUTCDate() === 1;
}

/** The query of a list that shows what happened on some days, for zooming into a chart. */
export const zoomQuery = ({ from, to }: Pick<Span, 'from' | 'to'>): string =>
  String(
    new URLSearchParams({
      from: `${from}T00:00:00Z`,
      to: `${new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`,
    }),
  );
