import { z } from 'zod';
import { type Column, column } from '#kernel/db/column.ts';
import { record, type TableRecord, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type Fact, MEASURE_NAMES, MEASURES, type MeasureName } from './measures.ts';

/** How long the time is that a row stands for: months are kept beside days, so that years are added up from few rows. */
export const GRAINS = ['day', 'month'] as const;

/** More than all money that there is: rows are added to by what a batch of orders changes, which may be negative. */
const MOST = 1_000_000_000_000_000;

const KEPT = 'as long as the orders that they count';

/** The columns of a table of sums. */
function dailyColumns(name: MeasureName): Record<string, Column> {
  const { keys, sums } = MEASURES[name];
  return {
    grain: column.choice(GRAINS),
    /** `2026-03-01` or `2026-03`, in the time zone of the shop. */
    period: column.text(10, 7),
    currency: column.text(3, 3),
    ...Object.fromEntries(keys.map((key) => [key, column.text(255)])),
    ...Object.fromEntries(sums.map((sum) => [sum, column.integer(-MOST, MOST)])),
  };
}

const dailyTerms = (name: MeasureName) => ({
  key: ['grain', 'period', 'currency', ...MEASURES[name].keys],
  kept: KEPT,
});

export const salesRecord = record('report_sales', dailyColumns('sales'), dailyTerms('sales'));
export const productsRecord = record('report_products', dailyColumns('products'), dailyTerms('products'));
export const goodsRecord = record('report_goods', dailyColumns('goods'), dailyTerms('goods'));
export const countriesRecord = record('report_countries', dailyColumns('countries'), dailyTerms('countries'));
export const promotionsRecord = record(
  'report_promotions',
  dailyColumns('promotions'),
  dailyTerms('promotions'),
);
export const taxesRecord = record('report_taxes', dailyColumns('taxes'), dailyTerms('taxes'));
export const paymentsRecord = record('report_payments', dailyColumns('payments'), dailyTerms('payments'));
export const customersRecord = record('report_customers', dailyColumns('customers'), {
  ...dailyTerms('customers'),
  whose: 'amounts under an id, which names nobody once the customer is erased',
});

/** The tables of figures by day and by month. Reports read these, and no order. */
export const dailyRecords: Readonly<Record<MeasureName, TableRecord>> = {
  sales: salesRecord,
  products: productsRecord,
  goods: goodsRecord,
  countries: countriesRecord,
  promotions: promotionsRecord,
  taxes: taxesRecord,
  payments: paymentsRecord,
  customers: customersRecord,
};

/** That an order was placed or has changed: written with the change, and gone when the tables count it. */
export const changeRecord = record(
  'report_changes',
  {
    id: column.id(ids.reportChange),
    orderId: column.id(ids.order),
    createdAt: column.time(),
  },
  { kept: 'until the change is counted' },
);

const Facts: () => z.ZodType<readonly Fact[]> = () =>
  z.array(
    z.tuple([
      z.enum(MEASURE_NAMES as [MeasureName]),
      z.string(),
      z.string(),
      z.array(z.string()),
      z.array(z.number()),
    ]),
  );

/** What the tables hold of an order: what is added when it changes is the difference. */
export const countedRecord = record(
  'report_orders',
  {
    orderId: column.id(ids.order),
    /** When all orders were counted last: what an earlier round counted is in the tables no more. */
    round: column.integer(0),
    /** It was the first one of its customer. */
    isNew: column.flag(),
    facts: column.json<readonly Fact[]>(Facts),
    createdAt: column.time(),
  },
  { key: ['orderId'], kept: KEPT },
);
export type Counted = Omit<ValuesOf<typeof countedRecord>, 'createdAt'>;

/** How far the tables are: the one row that whoever writes them holds. */
export const reportStateRecord = record(
  'report_state',
  {
    name: column.text(20, 1),
    /** In whose days they are, or will be once all orders are counted again. */
    zone: column.text(64),
    /** How often counting all orders was begun. */
    round: column.integer(0),
    /** Grows with each change of the tables: who reads several of them reads again when it has. */
    version: column.integer(0),
    /** Where counting all orders again is; null while nobody does. */
    afterPlacedAt: column.text(24).nullable(),
    afterId: column.text(30).nullable(),
    done: column.integer(0),
    total: column.integer(0),
    startedAt: column.time().nullable(),
    createdAt: column.time(),
  },
  { key: ['name'], kept: 'for ever: one row' },
);
export type ReportState = ValuesOf<typeof reportStateRecord>;
