import type { Ctx } from '#kernel/context.ts';
import { containsPattern, likeSql } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { orderItemRecord, orderRecord } from '#storefront/orders/orders/index.ts';
import { type LicenseMint, licenseMintRecord, MINT_STATUSES } from '../minting/index.ts';

/** The license of a unit with the order that it was bought with. */
export interface MintOf extends LicenseMint {
  readonly orderNumber: string | null;
  readonly email: string;
  readonly customerId: string | null;
  /** Of the order's line; null for a license that was made by hand. */
  readonly title: string | null;
  readonly sku: string | null;
}

interface Beside {
  readonly order_number: string | null;
  readonly email: string;
  readonly customer_id: string | null;
  readonly item_title: string | null;
  readonly sku: string | null;
}

/** Licenses of orders for staff, those that are missing among them. */
export const mintRows = selection<MintOf, Beside>({
  from: ({ db }) =>
    db
      .knex({ m: licenseMintRecord.table })
      .join({ o: orderRecord.table }, 'o.id', 'm.order_id')
      .leftJoin({ i: orderItemRecord.table }, 'i.id', 'm.order_item_id'),
  id: 'm.id',
  scope: 'none',
  columns: ['m.*', 'o.order_number', 'o.email', 'o.customer_id', 'i.title as item_title', 'i.sku'],
  read: (row) => ({
    ...licenseMintRecord.read(row),
    orderNumber: row.order_number,
    email: row.email,
    customerId: row.customer_id,
    title: row.item_title,
    sku: row.sku,
  }),
  filters: {
    status: filter.choice(MINT_STATUSES, { label: 'Status', column: 'm.status' }),
    orderId: filter.lookup({ label: 'Order', column: 'm.order_id', resource: 'shop-orders' }),
    customerId: filter.lookup({ label: 'Customer', column: 'o.customer_id', resource: 'shop-customers' }),
    licenseId: filter.text({ label: 'License', column: 'm.license_id' }),
    sku: filter.text({ label: 'SKU', column: 'i.sku' }),
    waiting: filter.flag({
      label: 'Pending change',
      column: (query, isWaiting) => void query.whereRaw(isWaiting ? WAITING : DONE),
    }),
    '': filter.times({ label: 'Created', column: 'm.created_at' }),
  },
  search: {
    placeholder: 'Order number, email or key',
    by: async (query, text, ctx) => {
      const like = likeSql(query, text);
      const ids = await licenses.idsByKey(ctx, text);
      query.where((any) => {
        any
          .whereIn('m.license_id', ids)
          .orWhere('o.order_number', orderNumberIn(text))
          .orWhereRaw(like, ['o.email', containsPattern(text)]);
      });
    },
  },
  sorts: { created: 'm.created_at', updated: 'm.updated_at' },
  initial: '-created',
});

/** Literals: an index of what waits holds few of many. */
const WAITING = 'm.status <> m.wanted';
const DONE = 'm.status = m.wanted';

const orderNumberIn = (text: string): string => text.trim().replace(/^#/, '');

/** More orders than a person looks through. */
const MOST_ORDERS = 100;

/** Ids of the orders with licenses of these ids. */
export async function ordersOfLicenses({ db }: Ctx, licenseIds: readonly string[]): Promise<string[]> {
  if (licenseIds.length === 0) return [];
  const rows: { order_id: string }[] = await db
    .knex(licenseMintRecord.table)
    .whereIn('license_id', licenseIds)
    .groupBy('order_id')
    .limit(MOST_ORDERS)
    .select('order_id');
  return rows.map((row) => row.order_id);
}
