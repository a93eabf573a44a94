import type { Ctx } from '#kernel/context.ts';
import { figureText } from '#kernel/figure-words.ts';
import { localMinute } from '#kernel/local-time.ts';
import { currencyExponent } from '#kernel/money.ts';
import { moneyWords } from '#kernel/money-words.ts';
import type { Chart } from '#platform/charts/index.ts';
import { stateWords } from '#storefront/orders/desk/index.ts';
import { changeWords } from '../reports/index.ts';
import { type Dashboard, dashboard, RANGES, type Range, type Sold } from './dashboard.ts';
import { listLatest } from './queries.ts';

const LATEST = 5;

const labels: Readonly<Record<Range, string>> = {
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

/** A figure with what has become of it. */
interface Tile {
  readonly label: string;
  readonly value: string;
  readonly change: string;
  readonly href: string;
}

function tilesOf({ reported, now, before }: Dashboard, range: Range): Tile[] {
  const { currency, from, to } = reported;
  const words = (cents: number | null): string =>
    cents === null ? '–' : moneyWords({ amountCents: cents, currency }, 'en');
  const against = range === 'today' ? 'yesterday' : `the ${RANGES[range]} days before`;
  const href = `/store/reports/sales?${new URLSearchParams({ from, to, compare: 'previous' })}`;
  const tile = (label: string, value: string, of: (sold: Sold) => number | null): Tile => {
    const [is, was] = [of(now) ?? 0, of(before) ?? 0];
    return { label, value, change: `${changeWords(is, was)} against ${against}`, href };
  };
  return [
    tile('Sales', words(now.salesCents), (sold) => sold.salesCents),
    tile('Orders', figureText(now.orders), (sold) => sold.orders),
    tile('Average order', words(now.averageCents), (sold) => sold.averageCents),
    tile(
      'Carts that became orders',
      now.conversion === null ? '–' : `${figureText(now.conversion * 100)} %`,
      (sold) => sold.conversion,
    ),
  ];
}

/** The line of sales; a day alone draws none. */
async function chartOf({ reported }: Dashboard): Promise<Chart | null> {
  const { rows, compared, currency, zone, from, to } = reported;
  if (rows.length < 2) return null;
  const { lineChart } = await import('#platform/charts/index.ts');
  const placed = (some: readonly Readonly<Record<string, unknown>>[]) =>
    some.map(({ total_cents: cents }) => Number(cents) / 10 ** currencyExponent(currency));
  const days = rows.map(({ period }) => String(period));
  return lineChart({
    id: 'chart-sales',
    title: 'Sales',
    unit: currency,
    days,
    zone,
    series: [{ label: 'Sales', values: placed(rows) }],
    ...(compared && { previous: placed(compared.series ?? []) }),
    hrefs: days.map((day) => `/store/reports/sales?${new URLSearchParams({ from: day, to: day })}`),
    csvHref: `/api/store/reports/sales/export.csv?${new URLSearchParams({ from, to, group: 'day' })}`,
  });
}

/** What the first page shows of sales. @throws AppError INSUFFICIENT_SCOPE */
export async function salesOf(ctx: Ctx, range: Range) {
  const figures = await dashboard(ctx, range);
  return {
    zone: figures.reported.zone,
    counting: figures.reported.counting,
    periods: Object.entries(labels).map(([value, label]) => ({
      label,
      href: `/store/?range=${value}`,
      isCurrent: value === range,
    })),
    tiles: tilesOf(figures, range),
    refunds: moneyWords({ amountCents: figures.now.refundsCents, currency: figures.reported.currency }, 'en'),
    chart: await chartOf(figures),
  };
}

/** The orders that were placed last. */
export async function latestOf(ctx: Ctx) {
  return (await listLatest(ctx, LATEST)).map(
    ({ id, orderNumber, status, paymentStatus, placedAt, ...money }) => ({
      href: `/store/orders/${encodeURIComponent(id)}`,
      number: orderNumber ?? id,
      total: moneyWords({ amountCents: money.totalCents, currency: money.currency }, 'en'),
      status: stateWords(status),
      payment: stateWords(paymentStatus),
      at: localMinute(new Date(placedAt)),
    }),
  );
}
