import { addSeconds } from '#kernel/clock.ts';
import { dayIn, startOfDay } from '#storefront/contract/local-day.ts';
import { addDays, countDays } from '../daily/ranges.ts';
import { readStock, type StockAt } from '../stock/queries.ts';
import { counted, idOf, pageOf, type Report, type Row } from './report.ts';

/** How long the last units that came in have been lying, in days; the last group has no end. */
const AGES = [30, 90, 180] as const;

const labelOf = (at: number): string => {
  const [from, to] = [AGES[at - 1], AGES[at]];
  if (from === undefined) return `up to ${to} days`;
  return to === undefined ? `over ${from} days` : `${from + 1} to ${to} days`;
};

/** Stock at the end of a day, and the days at whose ends the groups of ages begin. */
function momentOf(asOf: string, zone: string, isNow: boolean, currency: string): StockAt {
  const endOf = (day: string): string =>
    startOfDay(addDays(day, 1), zone) ?? addSeconds(`${day}T00:00:00.000Z`, 86_400);
  return {
    currency,
    before: endOf(asOf),
    isNow,
    ages: AGES.map((days) => endOf(addDays(asOf, -days - 1))),
  };
}

export const inventory: Report = {
  title: 'Inventory value',
  about: 'Stock on hand at the end of a day, valued at current cost, and the age of the last receipt.',
  more: 'Only tracked stock. A variant without a cost has no value: `value_cents` is null.',
  keyScope: 'inventory:read',
  of: 'moment',
  hasLimit: true,
  columns: [
    { name: 'title', head: 'Product', kind: 'text', link: pageOf('products', 'product_id') },
    { name: 'variant_title', head: 'Variant', kind: 'text', isNullable: true },
    { name: 'sku', head: 'SKU', kind: 'text', link: pageOf('inventory', 'variant_id') },
    counted('on_hand', 'On hand'),
    { name: 'cost_cents', head: 'Cost', kind: 'money', isNullable: true },
    { name: 'value_cents', head: 'Value', kind: 'money', isNullable: true },
    {
      name: 'received_on',
      head: 'Last received',
      kind: 'day',
      isNullable: true,
      about: 'The day units were last received',
    },
    { name: 'age_days', head: 'Days ago', kind: 'count', isNullable: true },
    idOf('product_id'),
    idOf('variant_id'),
  ],
  drawn: {
    title: 'Value by days since last received',
    as: 'bars',
    label: 'age',
    parts: { value_cents: 'Value' },
  },
  empty: 'No tracked stock on hand on this day.',
  async run(ctx, _book, { to, zone, currency, limit }) {
    const isNow = to >= dayIn(ctx.now(), zone);
    const moment = momentOf(to, zone, isNow, currency);
    const { stock, totals } = await readStock(ctx, moment, limit);
    const rows = stock.map(({ receivedAt, variantTitle, ...one }): Row => {
      const day = receivedAt === null ? null : dayIn(receivedAt, zone);
      return {
        title: one.title,
        variant_title: variantTitle,
        sku: one.sku,
        on_hand: one.onHand,
        cost_cents: one.costCents,
        value_cents: one.costCents === null ? null : one.onHand * one.costCents,
        received_on: day,
        age_days: day === null ? null : countDays({ from: day, to }) - 1,
        product_id: one.productId,
        variant_id: one.variantId,
      };
    });
    const { units, valueCents, withoutCost, byAge } = totals;
    return {
      rows,
      totals: { on_hand: units, value_cents: valueCents, without_cost: withoutCost },
      series: byAge.map((cents, at) => ({ age: labelOf(at), value_cents: cents })),
    };
  },
};
