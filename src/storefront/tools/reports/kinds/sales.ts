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
  counted('orders', 'Orders', 'Placed in the period and not canceled'),
  counted('cancelled', 'Canceled', 'Placed in the period and canceled later; they count nowhere else'),
  counted('units', 'Units'),
  money('gross_cents', 'Gross', 'Items before discounts'),
  money('discount_cents', 'Discounts'),
  money('shipping_cents', 'Shipping', 'Less promotion discounts'),
  money('tax_cents', 'Tax', 'Included in the other amounts if prices include tax'),
  money('total_cents', 'Total', 'Order totals, without gift card purchases'),
  money('refunds_cents', 'Refunds', 'Sales refunded in the period'),
  money('net_cents', 'Net', '`total_cents` less `refunds_cents`'),
  money('gift_cards_cents', 'Gift cards sold', 'Not a sale: it counts when the card is used'),
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
  about: 'Orders by the day they were placed, in their current state, and refunds by the day of the refund.',
  more: 'Edits change the figures of the day the order was placed, and cancellations remove it there. Every period of the range has a row.',
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
  empty: 'No orders in this range.',
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
