import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { MOST_CENTS } from '../orders/index.ts';

export const RETURN_STATES = [
  'requested',
  'approved',
  'in_transit',
  'received',
  'completed',
  'rejected',
  'cancelled',
  'expired',
] as const;
export type ReturnState = (typeof RETURN_STATES)[number];
/** Something is still to be done about them. */
export const OPEN_RETURNS: readonly ReturnState[] = ['requested', 'approved', 'in_transit', 'received'];

export const RESOLUTIONS = ['refund', 'store_credit', 'exchange'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];
export const CONDITIONS = ['new', 'opened', 'damaged'] as const;
export const MOST_NOTE = 1000;
export const MOST_TEXT = 5000;
export const MOST_PHOTOS = 5;

const count = () => column.integer(0, 999);
const cents = () => column.integer(0, MOST_CENTS);

/** Why goods come back, as customers choose it (storefront-domain 4.7). */
export const returnReasonRecord = record('return_reasons', {
  id: column.id(ids.returnReason),
  label: column.text(200, 1),
  /** Of those that every shop begins with: the shop says it in the language of the page. null once somebody wrote another label. */
  code: column.text(30).nullable(),
  requiresNote: column.flag(),
  requiresPhoto: column.flag(),
  isActive: column.flag(),
  position: column.integer(0, 10_000),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type ReturnReason = ValuesOf<typeof returnReasonRecord>;

/** Goods of an order that come back (storefront-domain 4.7). Whose it is follows from its order. */
export const returnRecord = record(
  'returns',
  {
    id: column.id(ids.return),
    /** `R1001`. */
    returnNumber: column.text(30, 1),
    orderId: column.id(ids.order).references('orders'),
    status: column.choice(RETURN_STATES),
    /** What the customer wants. */
    resolution: column.choice(RESOLUTIONS),
    /** What it came to; null until it is completed. */
    outcome: column.choice(['refund', 'exchange', 'none']).nullable(),
    exchangeVariantId: column.text(30).nullable(),
    exchangeOrderId: column.text(30).nullable(),
    /** Of the form or the request that asked for it: the same again is the same return. */
    onceKey: column.text(200).nullable(),
    instructions: column.text(MOST_TEXT).nullable(),
    labelUrl: column.text(2000).nullable(),
    /** Where a label is kept that staff uploaded. */
    labelKey: column.text(100).nullable().local(),
    carrier: column.text(100).nullable(),
    trackingNumber: column.text(200).nullable(),
    /** Why it was rejected, cancelled, or closed without a refund. */
    endReason: column.text(500).nullable(),
    restockingFeeCents: cents(),
    /** Until when the goods have to be sent. */
    returnBy: column.time().nullable(),
    requestedAt: column.time(),
    approvedAt: column.time().nullable(),
    receivedAt: column.time().nullable(),
    closedAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { whose: { ids: { orderId: 'orders' }, needed: { status: OPEN_RETURNS } } },
);
export type Return = ValuesOf<typeof returnRecord>;

/** Units of a line of the order that come back. */
export const returnItemRecord = record(
  'return_items',
  {
    id: column.id(ids.returnItem),
    returnId: column.id(ids.return).references('returns'),
    orderItemId: column.id(ids.orderItem).references('order_items'),
    reasonId: column.id(ids.returnReason).references('return_reasons'),
    quantity: column.integer(1, 999),
    approvedQuantity: count(),
    receivedQuantity: count(),
    note: column
      .text(MOST_NOTE)
      .nullable()
      .personal(() => null),
    /** Ids of photos. */
    media: column.texts(30, MOST_PHOTOS),
    condition: column.choice(CONDITIONS).nullable(),
    restock: column.flag(),
    /** What its units are worth: as it was asked for, and what they came to when it was settled. */
    refundCents: cents(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { whose: { ids: { returnId: 'returns' } } },
);
export type ReturnItem = ValuesOf<typeof returnItemRecord>;

/** What customer and staff write to each other about a return. */
export const returnMessageRecord = record(
  'return_messages',
  {
    id: column.id(ids.returnMessage),
    returnId: column.id(ids.return).references('returns'),
    authorType: column.choice(['customer', 'staff', 'system']),
    /** Of staff, by name. */
    author: column.text(255).nullable(),
    body: column.text(MOST_TEXT, 1).personal(() => '-'),
    media: column.texts(30, MOST_PHOTOS),
    /** Only staff read it. */
    isInternal: column.flag(),
    createdAt: column.time(),
  },
  { whose: { ids: { returnId: 'returns' } } },
);
export type ReturnMessage = ValuesOf<typeof returnMessageRecord>;
