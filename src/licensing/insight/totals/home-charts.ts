import {
  type Chart,
  type Grain,
  grainOf,
  heatStrip,
  lineChart,
  type Span,
  spansOf,
  zoomQuery,
} from '#platform/charts/index.ts';
import { type Counted, percentile } from '../requests/index.ts';
import type { HomeFigures } from './home-figures.ts';
import type { Day } from './view.ts';

type Counter = 'validations' | 'denials' | 'heartbeats';

const TABLES = '/api/v1/admin/stats';

/** The course of the figures of the first page, from the totals of each day: by day, by week or by month. */
export function courses({ shown, before, calls }: HomeFigures): readonly Chart[] {
  const days = shown.map(({ day }) => day);
  const grain = grainOf(days.length);
  const spans = spansOf(days, grain);
  const labels = spans.map(({ from }) => from);
  const sums = (of: readonly Day[], name: Counter): number[] =>
    spans.map(({ start, end }) => of.slice(start, end).reduce((sum, day) => sum + day[name], 0));
  const range = { from: days[0] as string, to: days.at(-1) as string };
  const around = {
    csvHref: `${TABLES}/overview?format=csv&${zoomQuery(range)}`,
    hrefs: spans.map((span) => `/admin/requests?${zoomQuery(span)}`),
  };
  const durationsFile = `${TABLES}/durations?format=csv&${zoomQuery(range)}`;
  const course = (name: Counter, title: string): Chart =>
    lineChart({
      id: `chart-${name}`,
      title,
      unit: `requests per ${grain}`,
      days: labels,
      grain,
      series: [{ label: title, values: sums(shown, name) }],
      previous: sums(before, name),
      ...around,
    });
  const refused = refusedPercents(
    [sums(shown, 'validations'), sums(shown, 'heartbeats')],
    sums(shown, 'denials'),
  );
  return [
    course('validations', 'Validations'),
    course('denials', 'Refused requests'),
    course('heartbeats', 'Heartbeats'),
    heatStrip({
      id: 'chart-rate',
      title: 'Refused share of all license requests',
      unit: '%',
      labels,
      of: `${grain === 'day' ? 'Day' : `First day of the ${grain}`} (UTC)`,
      series: { label: 'Refused (%)', values: refused },
      ...around,
    }),
    ...(calls ? [durationChart(calls, spans, grain, { ...around, csvHref: durationsFile })] : []),
  ];
}

/** What was refused, of all requests of each point; null where there were none. */
const refusedPercents = (allowed: readonly (readonly number[])[], denials: readonly number[]) =>
  denials.map((count, at) => {
    const all = allowed.reduce((sum, one) => sum + (one[at] ?? 0), count);
    return all === 0 ? null : Math.round((count / all) * 1000) / 10;
  });

/** So many of the calls took at most so long. */
const PERCENTS = [
  [50, 'Median'],
  [95, '95 % of calls'],
  [99, '99 % of calls'],
] as const;

const durationChart = (
  calls: readonly Counted[],
  spans: readonly Span[],
  grain: Grain,
  around: { readonly csvHref: string; readonly hrefs: readonly string[] },
): Chart =>
  lineChart({
    id: 'chart-durations',
    title: 'Duration of calls: half of them, 95 % and 99 % took at most',
    unit: 'ms',
    days: spans.map(({ from }) => from),
    grain,
    series: durationsOf(calls, spans),
    ...around,
  });

/** Durations that half of the calls, 95 % and 99 % of them stayed below, of all days of each point together. */
function durationsOf(calls: readonly Counted[], spans: readonly Span[]) {
  const groups = spans.map(({ from, to }) => calls.filter(({ at }) => at >= from && at <= to));
  return PERCENTS.map(([percent, label]) => ({
    label,
    values: groups.map((counted) => percentile(counted, percent)),
  }));
}
