import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { namedProducts } from '#licensing/catalog/products/index.ts';
import type { ChartsOf } from '#platform/admin/index.ts';
import { barChart, type Chart, lengthsOf, lineChart } from '#platform/charts/index.ts';
import { listDenied, listSeats, type SeatRange, type SeatsAt } from './queries.ts';

const SECONDS_PER_HOUR = 3600;
/** Up to here each hour is drawn, beyond it the fullest of each day. */
const HOURLY_DAYS = 3;
const LENGTHS = { offered: [1, 7, 30, 90], usual: 1 };
/** Refusals of a license are kept for so long. */
const DENIED_DAYS = 31;

/** Occupancy beside the seats that there are, and how often one was refused. @param query as the list takes it, and `days` */
export async function seatCharts(ctx: Ctx, query: Readonly<Record<string, string>>): Promise<ChartsOf> {
  const { days, ranges } = lengthsOf('/admin/seats/charts', query, LENGTHS);
  const by = days <= HOURLY_DAYS ? 'hour' : 'day';
  const range: SeatRange = {
    productIds: await namedProducts(ctx, query.productId),
    from: `${addSeconds(ctx.now(), -days * SECONDS_PER_DAY).slice(0, 13)}:00:00.000Z`,
    to: ctx.now(),
  };
  const deniedDays = Math.min(DENIED_DAYS, Math.max(7, days));
  const deniedFrom = addSeconds(ctx.now(), -(deniedDays - 1) * SECONDS_PER_DAY);
  const seats = await listSeats(ctx, range, by);
  const denied = await listDenied(ctx, { ...range, from: deniedFrom });
  return {
    charts: [
      occupancy(placesOf(range, by), by, seats),
      deniedChart(daysFrom(deniedFrom, deniedDays), denied),
    ],
    ranges,
    note: 'Seats are counted every five minutes. An hour or day shows the highest number in use at once. Refusals are kept for 31 days.',
  };
}

function placesOf({ from, to }: SeatRange, by: 'hour' | 'day'): string[] {
  const [letters, seconds] = by === 'hour' ? [13, SECONDS_PER_HOUR] : [10, SECONDS_PER_DAY];
  const places: string[] = [];
  for (let at = from; at < to; at = addSeconds(at, seconds)) places.push(at.slice(0, letters));
  return places;
}

const daysFrom = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => addSeconds(from, at * SECONDS_PER_DAY).slice(0, 10));

function occupancy(days: readonly string[], grain: 'hour' | 'day', counted: readonly SeatsAt[]): Chart {
  const byPlace = new Map(counted.map((one) => [one.at, one]));
  return lineChart({
    id: 'chart-occupancy',
    title: 'Floating seats',
    unit: 'most at once',
    days,
    grain,
    series: [
      { label: 'In use', values: days.map((at) => byPlace.get(at)?.used ?? null) },
      { label: 'Seats', values: days.map((at) => byPlace.get(at)?.seats ?? null) },
    ],
  });
}

const deniedChart = (days: readonly string[], denied: ReadonlyMap<string, number>): Chart =>
  barChart({
    id: 'chart-denied',
    title: 'Refused seats',
    unit: 'per day',
    of: 'Day (UTC)',
    labels: days,
    series: [{ label: 'Refused', values: days.map((day) => denied.get(day) ?? 0) }],
  });
