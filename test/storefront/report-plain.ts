// What reports must say, computed the plain way: by looking at every order.
import type { Knex } from '#kernel/db/database.ts';

type Row = Record<string, unknown>;
const n = (value: unknown): number => Number(value);
const sum = (rows: readonly Row[], name: string): number => rows.reduce((all, row) => all + n(row[name]), 0);

const dayIn = (at: unknown, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(String(at)));

/** Figures by day; those of other tables by day and key. */
export type Plain = Record<string, Record<string, number>>;

const add = (into: Plain, key: string, figures: Record<string, number>): void => {
  into[key] ??= {};
  const row = into[key];
  for (const [name, value] of Object.entries(figures)) row[name] = (row[name] ?? 0) + value;
};

export interface PlainReports {
  readonly sales: Plain;
  readonly products: Plain;
  readonly countries: Plain;
  readonly payments: Plain;
  readonly taxes: Plain;
  readonly promotions: Plain;
}

interface Whole {
  readonly order: Row;
  readonly items: readonly Row[];
  readonly payments: readonly Row[];
  readonly refunds: readonly (Row & { parts: readonly Row[] })[];
  readonly adjustments: readonly Row[];
  readonly country: string;
  readonly captured: ReadonlyMap<string, string>;
}

async function wholes(knex: Knex, currency: string): Promise<Whole[]> {
  const orders: Row[] = await knex('orders')
    .whereNotNull('placed_at')
    .where({ currency })
    .orderBy('placed_at');
  return Promise.all(
    orders.map(async (order): Promise<Whole> => {
      const own = { order_id: order.id as string };
      const refunds: Row[] = await knex('refunds')
        .where({ ...own, status: 'succeeded' })
        .orderBy(['updated_at', 'id']);
      const addresses: Row[] = await knex('order_addresses').where(own);
      const events: Row[] = await knex('order_events').where({ ...own, type: 'payment' });
      return {
        order,
        items: await knex('order_items').where(own).orderBy('position'),
        payments: (await knex('payments').where(own)).filter((one: Row) => n(one.captured_cents) > 0),
        refunds: await Promise.all(
          refunds.map(async (one) => ({
            ...one,
            parts: await knex('refund_items').where({ refund_id: one.id as string }),
          })),
        ),
        adjustments: await knex('order_adjustments').where({ ...own, kind: 'promotion' }),
        country: String((addresses.find(({ kind }) => kind === 'shipping') ?? addresses[0])?.country ?? ''),
        captured: new Map(
          events.flatMap(({ data, created_at: at }) => {
            const said = JSON.parse(String(data)) as { payment_id: string; status: string };
            return said.status === 'captured' ? [[said.payment_id, String(at)] as const] : [];
          }),
        ),
      };
    }),
  );
}

/** Every report of the orders in one currency. */
export async function plainReports(knex: Knex, timeZone: string, currency: string): Promise<PlainReports> {
  const reports: PlainReports = {
    sales: {},
    products: {},
    countries: {},
    payments: {},
    taxes: {},
    promotions: {},
  };
  for (const one of await wholes(knex, currency)) {
    countMoney(reports, one, timeZone);
    if (one.order.status !== 'cancelled') countSale(reports, one, timeZone);
    else add(reports.sales, dayIn(one.order.placed_at, timeZone), { cancelled: 1 });
  }
  return reports;
}

function countMoney(
  { payments: rows }: PlainReports,
  { order, payments, refunds, captured }: Whole,
  zone: string,
): void {
  for (const one of payments) {
    const at = one.received_at ?? (one.kind === 'gift_card' ? order.placed_at : captured.get(String(one.id)));
    add(rows, `${dayIn(at, zone)} ${one.processor}`, { payments: 1, takings_cents: n(one.captured_cents) });
  }
  for (const one of refunds) {
    const paid = payments.find(({ id }) => id === one.payment_id);
    const way = one.refund_to === 'original' ? (paid?.processor ?? 'offline') : one.refund_to;
    add(rows, `${dayIn(one.updated_at, zone)} ${way}`, { refunds: 1, refunds_cents: n(one.amount_cents) });
  }
}

function countSale(
  reports: PlainReports,
  { order, items, payments, refunds, adjustments, country }: Whole,
  zone: string,
): void {
  const day = dayIn(order.placed_at, zone);
  const goods = items.filter(({ type }) => type !== 'gift_card');
  const cards = sum(items, 'total_cents') - sum(goods, 'total_cents');
  const discount = sum(goods, 'item_discount_cents') + sum(goods, 'order_discount_cents');
  const total = n(order.total_cents) - cards;
  add(reports.sales, day, {
    orders: 1,
    units: sum(goods, 'quantity'),
    gross_cents: sum(goods, 'subtotal_cents'),
    discount_cents: discount,
    shipping_cents: n(order.shipping_cents) - n(order.shipping_discount_cents),
    tax_cents: n(order.tax_cents),
    total_cents: total,
    gift_cards_cents: cards,
  });
  add(reports.countries, `${day} ${country}`, {
    orders: 1,
    total_cents: total,
    tax_cents: n(order.tax_cents),
  });
  for (const item of items)
    add(reports.products, `${day} ${item.variant_id}`, {
      units: n(item.quantity),
      total_cents: n(item.total_cents),
    });
  for (const item of items)
    for (const line of JSON.parse(String(item.tax_lines)) as { name: string; cents: number }[])
      add(reports.taxes, `${day} ${country} ${line.name}`, { tax_cents: line.cents });
  for (const line of JSON.parse(String(order.shipping_tax_lines ?? '[]')) as {
    name: string;
    cents: number;
  }[])
    add(reports.taxes, `${day} ${country} ${line.name}`, { tax_cents: line.cents });
  for (const id of new Set(adjustments.map(({ promotion_id: id }) => String(id))))
    add(reports.promotions, `${day} ${id}`, {
      orders: 1,
      discount_cents: sum(
        adjustments.filter(({ promotion_id: other }) => other === id),
        'amount_cents',
      ),
    });
  let beyond = Math.max(0, sum(payments, 'captured_cents') - n(order.total_cents));
  for (const one of refunds) {
    const back = Math.min(beyond, n(one.adjustment_cents));
    beyond -= back;
    const ofCards = one.parts.filter(({ order_item_id: id }) => !goods.some((item) => item.id === id));
    const cents = n(one.amount_cents) - back - sum(ofCards, 'amount_cents');
    const on = dayIn(one.updated_at, zone);
    add(reports.sales, on, { refunds_cents: cents });
    add(reports.countries, `${on} ${country}`, { refunds_cents: cents });
    for (const part of one.parts) {
      const item = items.find(({ id }) => id === part.order_item_id);
      add(reports.products, `${on} ${item?.variant_id}`, { refunds_cents: n(part.amount_cents) });
    }
  }
}

/** Without what is 0. */
export const something = (plain: Plain): Plain =>
  Object.fromEntries(
    Object.entries(plain).flatMap(([key, figures]) => {
      const some = Object.entries(figures).filter(([, value]) => value !== 0);
      return some.length === 0 ? [] : [[key, Object.fromEntries(some)]];
    }),
  );
