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

/** A payment as the receivers of webhooks are told of it: nothing of what could charge it again (storefront-domain 18). */
export interface ToldPayment {
  readonly id: string;
  readonly kind: string;
  readonly processor: string;
  readonly method_label: string | null;
  readonly status: string;
  readonly amount_cents: number;
  readonly captured_cents: number;
  readonly refunded_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

/** As `ToldPayment`, of what went back. */
export interface ToldRefund {
  readonly id: string;
  readonly refund_number: string;
  readonly payment_id: string | null;
  readonly status: string;
  readonly amount_cents: number;
  readonly to: string;
  readonly reason: string;
  readonly created_at: string;
}

/** Both belong to another capability, which tells of orders through this one: their tables go by name here. */
const toldPayments = statement<{ id: string }, ToldPayment>((q, p) =>
  q('payments')
    .where('order_id', p('id'))
    .orderBy(['created_at', 'id'])
    .select(
      'id',
      'kind',
      'processor',
      'method_label',
      'status',
      'amount_cents',
      'captured_cents',
      'refunded_cents',
      'currency',
      'created_at',
    ),
);
const toldRefunds = statement<{ id: string }, ToldRefund>((q, p) =>
  q('refunds')
    .where('order_id', p('id'))
    .orderBy(['created_at', 'id'])
    .select(
      'id',
      'refund_number',
      'payment_id',
      'status',
      'amount_cents',
      'refund_to as to',
      'reason',
      'created_at',
    ),
);

const CENTS = ['amount_cents', 'captured_cents', 'refunded_cents'];

/** Postgres answers large integers as texts. */
const counted = <T extends object>(row: T): T =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, CENTS.includes(name) ? Number(value) : value]),
  ) as T;

/** What was paid for an order and what went back, for the receivers of webhooks. */
export async function moneyTold(
  { db }: Ctx,
  { id }: Pick<Order, 'id'>,
): Promise<{ payments: ToldPayment[]; refunds: ToldRefund[] }> {
  const [payments, refunds] = [await toldPayments.all(db, { id }), await toldRefunds.all(db, { id })];
  return { payments: payments.map(counted), refunds: refunds.map(counted) };
}
