import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { Order } from './record.ts';

/** What is on its way, or has arrived, or is being packed: the shipments of an order that were not cancelled. */
export interface Parcel {
  readonly id: string;
  readonly shipmentNumber: string;
  readonly status: 'pending' | 'shipped' | 'delivered';
  readonly carrier: string | null;
  readonly service: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly shippedAt: string | null;
  readonly deliveredAt: string | null;
  readonly items: readonly { readonly orderItemId: string; readonly quantity: number }[];
}

interface Row {
  id: string;
  shipment_number: string;
  status: Parcel['status'];
  carrier: string | null;
  service: string | null;
  tracking_number: string | null;
  tracking_url: string | null;
  shipped_at: string | null;
  delivered_at: string | null;
  order_item_id: string;
  quantity: number;
}

const parcels = statement<{ id: string }, Row>((q, p) =>
  q({ s: 'shipments' })
    .join({ i: 'shipment_items' }, 'i.shipment_id', 's.id')
    .where('s.order_id', p('id'))
    .whereNot('s.status', 'cancelled')
    .orderBy(['s.created_at', 's.id', 'i.order_item_id'])
    .select(
      's.id',
      's.shipment_number',
      's.status',
      's.carrier',
      's.service',
      's.tracking_number',
      's.tracking_url',
      's.shipped_at',
      's.delivered_at',
      'i.order_item_id',
      'i.quantity',
    ),
);

/** The parcels of an order, the oldest first. One of which nothing was shipped costs no question. */
export async function parcelsOf({ db }: Ctx, { id, fulfillmentStatus }: Order): Promise<Parcel[]> {
  if (fulfillmentStatus === 'not_required' || fulfillmentStatus === 'unfulfilled') return [];
  const found = new Map<string, Row[]>();
  for (const row of await parcels.all(db, { id })) found.set(row.id, [...(found.get(row.id) ?? []), row]);
  return [...found.values()].flatMap(([first, ...rest]) => (first ? [parcelOf(first, rest)] : []));
}

const parcelOf = (row: Row, rest: readonly Row[]): Parcel => ({
  id: row.id,
  shipmentNumber: row.shipment_number,
  status: row.status,
  carrier: row.carrier,
  service: row.service,
  trackingNumber: row.tracking_number,
  trackingUrl: row.tracking_url,
  shippedAt: row.shipped_at,
  deliveredAt: row.delivered_at,
  items: [row, ...rest].map((one) => ({
    orderItemId: one.order_item_id,
    quantity: Number(one.quantity),
  })),
});

const invoiceOfOrder = statement<{ id: string }, { invoice_number: string }>((q, p) =>
  q('invoices')
    .where('order_id', p('id'))
    .where('kind', 'invoice')
    .orderBy([
      { column: 'issued_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(1)
    .select('invoice_number'),
);
/** The number of an order's invoice, the last one of an edited order. One that was not placed has none, and costs no question. */
export const invoiceNumberOf = async ({ db }: Ctx, { id, placedAt }: Order): Promise<string | null> =>
  placedAt === null ? null : ((await invoiceOfOrder.first(db, { id }))?.invoice_number ?? null);
