import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { orderRecord } from '../orders/index.ts';
import { SHIPMENT_STATES, type Shipment, shipmentRecord } from './record.ts';

/** A shipment with the number of its order. */
export type ShipmentOf = Shipment & { readonly orderNumber: string | null };

export const shipmentRows = selection<ShipmentOf, { order_number: string | null }>({
  from: ({ db }) => db.knex({ s: shipmentRecord.table }).join({ o: orderRecord.table }, 'o.id', 's.order_id'),
  id: 's.id',
  scope: 'none',
  columns: ['s.*', 'o.order_number'],
  read: (row) => ({ ...shipmentRecord.read(row), orderNumber: row.order_number }),
  filters: {
    orderId: filter.lookup({ label: 'Order', column: 's.order_id', resource: 'shop-orders' }),
    status: filter.choice(SHIPMENT_STATES, { label: 'Status', column: 's.status' }),
    carrier: filter.text({ label: 'Carrier', column: 's.carrier' }),
    '': filter.times({ label: 'Created', column: 's.created_at' }),
  },
  search: {
    placeholder: 'Number, order or tracking',
    by: ['s.shipment_number', 's.tracking_number', 'o.order_number'],
  },
  sorts: { created: 's.created_at', number: 's.shipment_number' },
  initial: '-created',
});

/** Orders of one run of a job. */
const AT_ONCE = 500;

/** Paid orders without anything to ship that were not completed when they were paid. */
export async function listPaidWithoutGoods({ db }: Ctx): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(orderRecord.table)
    .where({ status: 'processing', fulfillment_status: 'not_required' })
    .whereNotNull('paid_at')
    .orderBy('id')
    .limit(AT_ONCE)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Paid orders whose last shipment left before a time. */
export async function listShippedBefore({ db }: Ctx, before: string): Promise<string[]> {
  const later = db
    .knex({ s: shipmentRecord.table })
    .whereRaw('s.order_id = o.id')
    .whereNot('s.status', 'cancelled')
    .where((any) => any.whereNull('s.shipped_at').orWhere('s.shipped_at', '>', before))
    .select('s.id');
  const rows: { id: string }[] = await db
    .knex({ o: orderRecord.table })
    .where('o.status', 'shipped')
    .whereNotNull('o.paid_at')
    .whereNotExists(later)
    .orderBy('o.id')
    .limit(AT_ONCE)
    .select('o.id');
  return rows.map(({ id }) => id);
}
