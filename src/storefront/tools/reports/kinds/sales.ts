import type { Ctx } from '#kernel/context.ts';
import { daysOfPeriod, type Group, periodsOf } from '../daily/ranges.ts';
import { type Book, byPeriod, total } from '../daily/read.ts';
import type { SumsOf } from '../measures.ts';
import { counted, money, type Report, type ReportAsked, type ReportColumn, type Row } from './report.ts';

const groupOf = (period: string, group: unknown): Group => (period.length === 7 ? 'month' : (group as Group));

export const periodColumn: ReportColumn = {
  name: 'period',
  head: 'Period',
  kind: 'day',
  about: 'A day, the Monday of a week, or a month such as `2026-03`',
  link: ({ period, group }, zoom) => {
    const name = String(period);
    return zoom(daysOfPeriod(name, groupOf(name, group)));
  },
};

const columns: readonly ReportColumn[] = [
  periodColumn,
  counted('orders', 'Orders', 'Placed in the period and not cancelled'),
  counted('cancelled', 'Cancelled', 'Placed in the period and cancelled since; they count nowhere else'),
  counted('units', 'Units'),
  money('gross_cents', 'Gross', 'Goods before discounts'),
  money('discount_cents', 'Discounts'),
  money('shipping_cents', 'Shipping', 'Less what promotions took off it'),
  money('tax_cents', 'Tax', 'Within the other amounts where prices include tax'),
  money('total_cents', 'Total', 'What the orders come to, without the gift cards that were bought'),
  money('refunds_cents', 'Refunds', 'Money of sales that went back in the period'),
  money('net_cents', 'Net', '`total_cents` less `refunds_cents`'),
  money('gift_cards_cents', 'Gift cards sold', 'Money for later: what is bought with it is the sale'),
];

export const salesFigures = (sums: SumsOf<'sales'>): Record<string, number> => ({
  orders: sums.orders,
  cancelled: sums.cancelled,
  units: sums.units,
  gross_cents: sums.grossCents,
  discount_cents: sums.discountCents,
  shipping_cents: sums.shippingCents,
  tax_cents: sums.taxCents,
  total_cents: sums.totalCents,
  refunds_cents: sums.refundsCents,
  net_cents: sums.totalCents - sums.refundsCents,
  gift_cards_cents: sums.giftCardsCents,
});

const nothing: Row = Object.fromEntries(columns.slice(1).map(({ name }) => [name, 0]));

export const sales: Report = {
  title: 'Sales',
  about:
    'Orders by the day on which they were placed, as they are now, and refunds by the day on which the money went back.',
  more: 'An order that is edited changes the day on which it was placed; one that is cancelled leaves it. Every period of the range has a row.',
  keyScope: 'orders:read',
  of: 'range',
  needsRange: true,
  hasGroup: true,
  hasChannel: true,
  columns,
  drawn: {
    title: 'Net sales',
    as: 'line',
    label: 'period',
    parts: { net_cents: 'Net sales' },
  },
  empty: 'Nothing was ordered in these days.',
  run: async (ctx, book, asked) => ({
    rows: await periodRows(ctx, book, asked),
    totals: await totals(ctx, book, asked),
  }),
  compared: async (ctx, book, asked) => ({
    totals: await totals(ctx, book, asked),
    series: await periodRows(ctx, book, asked),
  }),
};

const totals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  salesFigures(await total(ctx, book, 'sales', asked));

async function periodRows(ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row[]> {
  const known = await byPeriod(ctx, book, 'sales', asked, asked.group);
  return periodsOf(asked, asked.group).map((period) => {
    const sums = known.get(period);
    return { period, ...(sums ? salesFigures(sums) : nothing) };
  });
}
