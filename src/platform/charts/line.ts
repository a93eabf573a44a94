import { scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import {
  below,
  type Chart,
  type ChartWords,
  figure,
  framed,
  grid,
  largest,
  type Mark,
  PLOT,
  round,
  type Series,
  seriesClass,
  spread,
  upwards,
} from './chart.ts';
import type { Grain } from './grain.ts';

/** Figures over time. */
export interface LineSpec extends ChartWords {
  /** The days of the points in UTC, or the Mondays of their weeks, or the firsts of their months: `2026-03-01`; or hours in UTC: `2026-03-01T14`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** The first series in the period before, as many points: drawn dashed. */
  readonly previous?: readonly (number | null)[];
  /** What a point stands for; a day when absent. */
  readonly grain?: Grain | 'hour';
  /** In whose days; UTC when absent. */
  readonly zone?: string;
}

/** Of 4 KB, what stays for points with words beside axes and lines, and what each takes. */
const ROOM = { marks: 2900, point: 11, mark: 82 } as const;
const HEADS: Readonly<Record<Grain | 'hour', string>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week from',
  month: 'Month from',
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Lines over time, each with a dash of its own. Points have words, as many as 4 KB hold; all figures are in the table. */
export function lineChart({
  days,
  series,
  previous,
  grain = 'day',
  zone = 'UTC',
  ...words
}: LineSpec): Chart {
  const isHourly = grain === 'hour';
  const times = days.map((day) => new Date(isHourly ? `${day}:00:00Z` : `${day}T00:00:00Z`));
  const [first = new Date(0)] = times;
  const x = scaleUtc([first, times.at(-1) ?? first], [PLOT.left, PLOT.right]);
  const before: Series[] = previous ? [{ label: 'Previous period', values: previous }] : [];
  const all = [...series, ...before];
  const y = upwards(largest(all.map(({ values }) => values)));
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => x(times[at] as Date))
    .y((value) => y(value ?? 0))
    .digits(1);
  const pathOf = (values: readonly (number | null)[], name: string): Mark => ({
    tag: 'path',
    at: { class: `line ${name}`, d: draw([...values]) ?? '' },
  });
  const room = ROOM.marks - ROOM.point * days.length * all.length;
  const told = spread(days.length, Math.floor(room / ROOM.mark / Math.max(1, series.length)));
  const points = series.flatMap(({ label, values }, at) =>
    values.flatMap((value, on): Mark[] => {
      if (value === null || !told.has(on)) return [];
      const [cx, cy] = [round(x(times[on] as Date)), round(y(value))];
      const title = `${days[on]}: ${figure(value)}${series.length > 1 ? ` ${label}` : ''}`;
      return [{ tag: 'circle', at: { class: seriesClass(at), cx, cy, r: 3 }, title }];
    }),
  );
  const ticks = days.length < 2 ? times : x.ticks(5);
  return framed(words, {
    first: `${HEADS[grain]} (${zone})`,
    labels: isHourly ? days.map((hour) => `${hour.replace('T', ' ')}:00`) : days,
    series: all,
    marks: [
      ...grid(y),
      ...ticks.map((tick) => below(x(tick), wordOf(tick), anchorOf(x(tick)))),
      ...before.map(({ values }) => pathOf(values, 'before')),
      ...series.map(({ values }, at) => pathOf(values, seriesClass(at))),
      ...points,
    ],
    nameOf: (at) => (at < series.length ? seriesClass(at) : 'before'),
    remark: isHourly ? ` Hours in ${zone}.` : ` Days in ${zone}.`,
  });
}

const wordOf = (time: Date): string => {
  if (time.getUTCHours() > 0) return time.toISOString().slice(11, 16);
  const month = MONTHS[time.getUTCMonth()];
  return time.getUTCDate() === 1 && time.getUTCMonth() === 0
    ? String(time.getUTCFullYear())
    : `${month} ${time.getUTCDate()}`;
};

/** Words at the edges stay inside. */
const anchorOf = (x: number): 'start' | 'middle' | 'end' => {
  if (x > PLOT.right - 32) return 'end';
  return x < PLOT.left + 32 ? 'start' : 'middle';
};
