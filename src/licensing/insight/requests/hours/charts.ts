import { scopeOf } from '#kernel/actor.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { ChartsOf } from '#platform/admin/index.ts';
import { type Chart, type Grain, grainOf, lineChart, spansOf } from '#platform/charts/index.ts';
import { percentile } from './durations.ts';
import { type Counted, listCounted } from './queries.ts';

const LIST = '/admin/requests';
const SECONDS_PER_HOUR = 3600;
/** What the list offers beside its own filter; up to three days are drawn by the hour. */
const RANGES = [
  { label: '24 hours', days: 1 },
  { label: '7 days', days: 7 },
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
] as const;
const HOURLY_DAYS = 3;
const USUAL_DAYS = 1;
const MOST_DAYS = 200;
const PARTS = [50, 95, 99] as const;

/**
 * Rate, refusals, failures and durations of the requests of a tenant over the time that its list is narrowed to.
 *
 * @param query `from` and `to` as the list takes them; the last day when they are absent or no times
 */
export async function requestCharts(ctx: Ctx, query: Readonly<Record<string, string>>): Promise<ChartsOf> {
  const range = rangeOf(ctx, query);
  const ranges = RANGES.map(({ label, days }) => ({
    label,
    href: zoomTo(startOf(ctx, days), range.now, query),
    isCurrent: query.to === undefined && range.from === startOf(ctx, days),
  }));
  // An hour holds the requests of all products.
  if (scopeOf(ctx.actor, 'license_product'))
    return { charts: [], ranges: [], note: 'Charts count all products, but you can only see some of them.' };
  const by = range.days <= HOURLY_DAYS ? 'hour' : 'day';
  const grain = by === 'hour' ? by : grainOf(Math.floor(range.days));
  const places = placesOf(range, by);
  const spans = spansOf(places, grain === 'hour' ? 'day' : grain);
  const counted = Map.groupBy(await listCounted(ctx, range, by), ({ at }) => at);
  const groups = spans.map(({ start, end }) =>
    places.slice(start, end).flatMap((at) => counted.get(at) ?? []),
  );
  const hrefs = spans.map(({ from, to }) => {
    const [first, last] = [from, to].map((at) =>
      by === 'hour' ? `${at}:00:00.000Z` : `${at}T00:00:00.000Z`,
    );
    const end = addSeconds(last as string, by === 'hour' ? SECONDS_PER_HOUR : SECONDS_PER_DAY);
    return zoomTo(first as string, end, query);
  });
  const course: Course = { days: spans.map(({ from }) => from), grain, hrefs };
  return {
    charts: [rateChart(course, groups), durationChart(course, groups)],
    ranges,
    note: 'The charts count all requests of the license API, whatever the filters. Durations are estimates and may be off by a third. Figures of this hour can be up to ten seconds old.',
  };
}

interface Range {
  readonly from: string;
  readonly to: string;
  readonly now: string;
  readonly days: number;
}

const startOf = (ctx: Ctx, days: number): string =>
  `${addSeconds(ctx.now(), -days * SECONDS_PER_DAY).slice(0, 13)}:00:00.000Z`;

function rangeOf(ctx: Ctx, query: Readonly<Record<string, string>>): Range {
  const now = ctx.now();
  const [asked, until] = [timeIn(query.from), timeIn(query.to)];
  const to = until ?? now;
  const usual = until ? addSeconds(until, -USUAL_DAYS * SECONDS_PER_DAY) : startOf(ctx, USUAL_DAYS);
  const earliest = addSeconds(to, -MOST_DAYS * SECONDS_PER_DAY);
  const from = asked !== null && asked < to ? asked : usual;
  const kept = from < earliest ? earliest : from;
  return { from: kept, to, now, days: (Date.parse(to) - Date.parse(kept)) / 1000 / SECONDS_PER_DAY };
}

/** The list itself says what is wrong with a time. */
function timeIn(text: string | undefined): string | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : addSeconds(new Date(ms).toISOString(), 0);
}

/** The list of a time, with its other filters. */
function zoomTo(from: string, to: string, query: Readonly<Record<string, string>>): string {
  const { from: _from, to: _to, ...others } = query;
  const isUpToNow = to.slice(-5) !== '.000Z' || to.slice(14, 16) !== '00';
  return `${LIST}?${new URLSearchParams({ ...others, from, ...(!isUpToNow && { to }) })}`;
}

/** The hours or days of a range, the first one first. */
function placesOf({ from, to }: Range, by: 'hour' | 'day'): string[] {
  const [letters, seconds] = by === 'hour' ? [13, SECONDS_PER_HOUR] : [10, SECONDS_PER_DAY];
  const places: string[] = [];
  const first = by === 'hour' ? `${from.slice(0, 13)}:00:00.000Z` : `${from.slice(0, 10)}T00:00:00.000Z`;
  for (let at = first; at < to; at = addSeconds(at, seconds)) places.push(at.slice(0, letters));
  return places;
}

/** The points of a chart, and where each leads. */
interface Course {
  readonly days: readonly string[];
  readonly grain: Grain | 'hour';
  readonly hrefs: readonly string[];
}

type Groups = readonly (readonly Counted[])[];

function rateChart(of: Course, groups: Groups): Chart {
  const sums = (name: 'requests' | 'refused' | 'failed') =>
    groups.map((group) => group.reduce((sum, row) => sum + row[name], 0));
  return lineChart({
    id: 'chart-rate',
    title: 'Requests',
    unit: `per ${of.grain}`,
    ...of,
    series: [
      { label: 'All', values: sums('requests') },
      { label: 'Refused (4xx)', values: sums('refused') },
      { label: 'Failed (5xx)', values: sums('failed') },
    ],
  });
}

const durationChart = (of: Course, groups: Groups): Chart =>
  lineChart({
    id: 'chart-duration',
    title: 'Duration',
    unit: 'ms',
    ...of,
    series: PARTS.map((part) => ({
      label: `p${part}`,
      values: groups.map((group) => percentile(group, part)),
    })),
  });
