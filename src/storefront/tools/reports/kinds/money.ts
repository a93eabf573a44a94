import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { periodsOf } from '../daily/ranges.ts';
import { type Book, byKey, byPeriod, total } from '../daily/read.ts';
import type { SumsOf } from '../measures.ts';
import { nameCountries } from '../names/countries.ts';
import { processorName } from '../names/processors.ts';
import { nameCustomers } from '../names/queries.ts';
import {
  type Against,
  counted,
  idOf,
  money,
  pageOf,
  type Report,
  type ReportAsked,
  type Row,
} from './report.ts';

const taxFigures = ({ baseCents, taxCents, refundedCents }: SumsOf<'taxes'>): Row => ({
  base_cents: baseCents,
  tax_cents: taxCents,
  refunded_cents: refundedCents,
  net_cents: taxCents - refundedCents,
});
const taxTotals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  taxFigures(await total(ctx, book, 'taxes', asked));

export const tax: Report = {
  title: 'Tax',
  about: 'Tax by place and rate: tax on orders in the range, less tax refunded in it.',
  more: 'The base is the net amount that a rate applies to. A line with two rates counts in both bases.',
  keyScope: 'orders:read',
  of: 'range',
  needsRange: true,
  columns: [
    { name: 'place', head: 'Place', kind: 'text' },
    { name: 'rate', head: 'Rate', kind: 'text' },
    { name: 'rate_ppm', head: 'Percent', kind: 'rate', about: 'Parts per million: 190000 is 19 %' },
    money('base_cents', 'Base', 'Without tax'),
    money('tax_cents', 'Tax'),
    money('refunded_cents', 'Refunded tax'),
    money('net_cents', 'Net tax'),
    { name: 'country', head: 'country', kind: 'text', isId: true },
    { name: 'state', head: 'state', kind: 'text', isId: true, isNullable: true },
  ],
  drawn: { title: 'Tax by place and rate', as: 'bars', label: 'label', parts: { tax_cents: 'Tax' } },
  empty: 'No tax was charged in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'taxes', asked, { by: 'taxCents', limit: asked.limit });
    const nameOf = nameCountries();
    const rows = found.map(({ country, state, name, ppm, ...sums }): Row => {
      const place = state === '' ? nameOf(country) : `${nameOf(country)}, ${state}`;
      return {
        place,
        rate: name,
        rate_ppm: Number(ppm),
        ...taxFigures(sums),
        country,
        state: state || null,
      };
    });
    return {
      rows,
      totals: await taxTotals(ctx, book, asked),
      series: rows.map(({ country, state, rate, tax_cents }) => ({
        label: `${[country, state].filter((one) => one).join('-')} ${rate}`,
        tax_cents: tax_cents ?? 0,
      })),
    };
  },
  compared: async (ctx, book, asked) => ({ totals: await taxTotals(ctx, book, asked) }),
};

const paymentFigures = ({ payments, takingsCents, refunds, refundsCents }: SumsOf<'payments'>): Row => ({
  payments,
  takings_cents: takingsCents,
  refunds,
  refunds_cents: refundsCents,
  net_cents: takingsCents - refundsCents,
});
const paymentsTotals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  paymentFigures(await total(ctx, book, 'payments', asked));

export const payments: Report = {
  title: 'Payments',
  about: 'Payments and refunds by day, for all placed orders, including those canceled later.',
  more: "`fees_cents` is null: processor fees are on the processors' statements.",
  keyScope: 'orders:read',
  of: 'range',
  columns: [
    { name: 'label', head: 'Payment method', kind: 'text' },
    counted('payments', 'Payments'),
    money('takings_cents', 'Payments'),
    counted('refunds', 'Refunds'),
    money('refunds_cents', 'Refunded'),
    money('net_cents', 'Net'),
    { name: 'fees_cents', head: 'fees_cents', kind: 'money', isId: true, isNullable: true },
    { name: 'processor', head: 'processor', kind: 'text', isId: true },
  ],
  drawn: { title: 'Payments', as: 'bars', label: 'label', parts: { takings_cents: 'Payments' } },
  empty: 'No payments or refunds in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'payments', asked, { by: 'takingsCents', limit: asked.limit });
    const rows = found.map(({ processor, ...sums }) => ({
      label: processorName(processor),
      ...paymentFigures(sums),
      fees_cents: null,
      processor,
    }));
    return { rows, totals: await paymentsTotals(ctx, book, asked) };
  },
  compared: async (ctx, book, asked) => ({ totals: await paymentsTotals(ctx, book, asked) }),
};

const customerFigures = ({
  orders,
  totalCents,
  refundsCents,
}: Pick<SumsOf<'sales'>, 'orders' | 'totalCents' | 'refundsCents'>): Row => ({
  orders,
  total_cents: totalCents,
  refunds_cents: refundsCents,
  net_cents: totalCents - refundsCents,
});

export const customers: Report = {
  title: 'Customers',
  about:
    'Orders of new and returning customers, and top customers. The first order of an account or email address counts as new.',
  more: '`series` has new and returning customers by period. Names are visible only to callers who may see customers.',
  keyScope: 'customers:read',
  of: 'range',
  hasGroup: true,
  hasLimit: true,
  columns: [
    { name: 'name', head: 'Customer', kind: 'text', link: pageOf('customers', 'customer_id') },
    { name: 'email', head: 'Email', kind: 'text', isNullable: true },
    counted('orders', 'Orders'),
    money('total_cents', 'Total'),
    money('refunds_cents', 'Refunds'),
    money('net_cents', 'Net'),
    idOf('customer_id'),
  ],
  drawn: {
    title: 'Orders of new and returning customers',
    as: 'line',
    label: 'period',
    parts: { new_orders: 'New', returning_orders: 'Returning' },
  },
  empty: 'No orders in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'customers', asked, { by: 'totalCents', limit: asked.limit });
    const isNamed = allows(ctx.actor, 'customers:read');
    const names = await nameCustomers(ctx, isNamed ? found.map(({ customerId }) => customerId) : []);
    const unnamed = isNamed ? 'Removed customer' : 'A customer';
    const rows = found.map(({ customerId, ...sums }) => ({
      name: customerId === '' ? 'Without an account' : (names.get(customerId)?.name ?? unnamed),
      email: names.get(customerId)?.email ?? null,
      ...customerFigures(sums),
      customer_id: customerId || null,
    }));
    return { rows, ...(await buyers(ctx, book, asked)) };
  },
  compared: buyers,
};

/** All customers together are all sales: of them there may be too many to be added up. */
async function buyers(ctx: Ctx, book: Book, asked: ReportAsked): Promise<Against> {
  const all = await total(ctx, book, 'sales', asked);
  const known = await byPeriod(ctx, book, 'sales', asked, asked.group);
  return {
    totals: { ...customerFigures(all), ...newAndReturning(all) },
    series: periodsOf(asked, asked.group).map((period) => ({
      period,
      ...newAndReturning(known.get(period)),
    })),
  };
}

const newAndReturning = (sums: SumsOf<'sales'> | undefined): Row => ({
  new_orders: sums?.newOrders ?? 0,
  returning_orders: (sums?.orders ?? 0) - (sums?.newOrders ?? 0),
  new_cents: sums?.newTotalCents ?? 0,
  returning_cents: (sums?.totalCents ?? 0) - (sums?.newTotalCents ?? 0),
});
