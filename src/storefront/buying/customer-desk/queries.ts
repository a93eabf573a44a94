import type { Ctx } from '#kernel/context.ts';
import { containsPattern, elementsOf, likeSql } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { roundHalfUp } from '#kernel/money.ts';
import { COUNTRY_CODES } from '#storefront/contract/countries.ts';
import { ordersNamedBy } from '#storefront/contract/extensions.ts';
import { orderAddressRecord, orderRecord } from '#storefront/orders/orders/index.ts';
import { CUSTOMER_STATUSES, type Customer, shopCustomerRecord } from '#storefront/people/customers/index.ts';

const TABLE = shopCustomerRecord.table;
const MEMBERS = 'customer_group_members';

/** Customers for staff, guests among them. Those who are anonymised show up when somebody asks for them. */
export const customerRows = selection<Customer>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shopCustomerRecord.read,
  filters: {
    status: filter.choice(CUSTOMER_STATUSES, { label: 'Status', column: 'status' }),
    hasAccount: filter.flag({
      label: 'Account',
      column: (query, has) => void query.where(`${TABLE}.is_guest`, !has),
    }),
    groupId: filter.lookup({
      label: 'Group',
      resource: 'customer-groups',
      column: (query, ids, { db }) =>
        void query.whereIn('id', db.knex(MEMBERS).whereIn('group_id', ids).select('customer_id')),
    }),
    tag: filter.text({
      label: 'Tag',
      column: (query, tag, { db }) =>
        void query.whereExists(elementsOf(db.knex, `${TABLE}.tags`).where('element', tag)),
    }),
    acceptsMarketing: filter.flag({ label: 'Marketing', column: 'accepts_marketing' }),
    country: filter.text({
      label: 'Country',
      column: (query, country, { db }) => {
        const code = COUNTRY_CODES.find((one) => one === country.toUpperCase()) ?? country;
        const shipped = db
          .knex({ o: orderRecord.table })
          .join({ a: orderAddressRecord.table }, 'a.order_id', 'o.id')
          .where('a.country', code)
          .whereNotNull('o.customer_id')
          .select('o.customer_id');
        query.whereIn('id', shipped);
      },
    }),
    spent: filter.numbers({ label: 'Spent', column: 'spent_cents' }),
    orders: filter.numbers({ label: 'Orders', column: 'order_count' }),
    '': filter.times({ label: 'Registered', column: 'created_at' }),
    erased: filter.flag({
      label: 'Anonymized',
      column: (query, is) => void query[is ? 'where' : 'whereNot']('status', 'anonymised'),
    }),
  },
  unasked: { erased: false },
  search: {
    placeholder: 'Name, email, phone, order number or license key',
    by: async (query, text, ctx) => {
      const { db } = ctx;
      const delivered = await ordersNamedBy(ctx, text);
      const like = likeSql(query, text);
      const pattern = containsPattern(text);
      const buyers = db
        .knex(orderRecord.table)
        .where((one) => one.where('order_number', text.trim().replace(/^#/, '')).orWhereIn('id', delivered))
        .whereNotNull('customer_id')
        .select('customer_id');
      query.where((any) => {
        any.whereIn('id', buyers);
        for (const column of ['email_norm', 'phone', 'first_name', 'last_name'])
          any.orWhereRaw(like, [column, pattern]);
        const [first, ...rest] = text.trim().split(/\s+/);
        const last = rest.join(' ');
        if (first && last)
          any.orWhere((both) =>
            both
              .whereRaw(like, ['first_name', containsPattern(first)])
              .whereRaw(like, ['last_name', containsPattern(last)]),
          );
      });
    },
  },
  sorts: {
    created: 'created_at',
    updated: 'updated_at',
    email: 'email_norm',
    orders: 'order_count',
    spent: 'spent_cents',
  },
  initial: '-created',
});

/** Figures of a customer for the page about them. */
export interface CustomerStats {
  readonly currency: string | null;
  readonly orderCount: number;
  readonly totalCents: number;
  readonly averageCents: number;
  readonly firstOrderAt: string | null;
  readonly lastOrderAt: string | null;
  readonly openOrders: number;
}

/** Of placed orders; those that were cancelled do not count. */
export async function statsOf({ db }: Ctx, customerId: string): Promise<CustomerStats> {
  const [row] = await db
    .knex(orderRecord.table)
    .where({ customer_id: customerId })
    .whereNotNull('placed_at')
    .whereNot('status', 'cancelled')
    .count({ count: '*' })
    .sum({ cents: 'total_cents', open: db.knex.raw("CASE WHEN status <> 'completed' THEN 1 ELSE 0 END") })
    .min({ first: 'placed_at' })
    .max({ last: 'placed_at', currency: 'currency' });
  const found = (row ?? {}) as Record<string, string | number | null | undefined>;
  const [count, cents] = [Number(found.count ?? 0), Number(found.cents ?? 0)];
  return {
    currency: (found.currency as string | null | undefined) ?? null,
    orderCount: count,
    totalCents: cents,
    averageCents: count === 0 ? 0 : Number(roundHalfUp(BigInt(cents), BigInt(count))),
    firstOrderAt: (found.first as string | null | undefined) ?? null,
    lastOrderAt: (found.last as string | null | undefined) ?? null,
    openOrders: Number(found.open ?? 0),
  };
}
