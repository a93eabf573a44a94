import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import type { Snapshot } from '#storefront/contract/extensions.ts';
import { ids } from '#storefront/contract/ids.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import { type GiftData, giftForNobody, StoredGift } from './gift-data.ts';

/** Largest amount of money (storefront-domain 1). */
export const MOST_CENTS = 100_000_000_000;
export const MOST_NOTE = 1000;

export const ORDER_STATUSES = [
  'draft',
  'pending',
  'processing',
  'on_hold',
  'shipped',
  'completed',
  'cancelled',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
export const PAYMENT_STATUSES = [
  'unpaid',
  'pending',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
  'voided',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const FULFILLMENT_STATUSES = [
  'not_required',
  'unfulfilled',
  'partially_fulfilled',
  'fulfilled',
  'delivered',
] as const;
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];
export const RETURN_STATUSES = [
  'none',
  'requested',
  'in_progress',
  'partially_returned',
  'returned',
] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];
export const SOURCES = ['web', 'admin', 'subscription', 'quote', 'exchange', 'api'] as const;

const cents = () => column.integer(0, MOST_CENTS);
const count = () => column.integer(0);
const personal = (max: number) =>
  column
    .text(max)
    .nullable()
    .personal(() => null);

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export const RISK_REASONS = [
  'country_mismatch',
  'many_cards',
  'many_declines',
  'card_tried_often',
  'shared_card',
  'large_first_order',
] as const;
export type RiskReason = (typeof RISK_REASONS)[number];

/** How likely it is that somebody pays with a card that is not theirs (decision 0075). */
export interface Risk {
  /** 0 to 100. */
  readonly score: number;
  readonly level: (typeof RISK_LEVELS)[number];
  readonly reasons: readonly RiskReason[];
  /** Of the card that paid, two letters. */
  readonly cardCountry: string | null;
}
const RiskSchema: () => z.ZodType<Risk> = () =>
  z.object({
    score: z.number(),
    level: z.enum(RISK_LEVELS),
    reasons: z.array(z.enum(RISK_REASONS)),
    cardCountry: z.string().nullable(),
  });

export const REVIEW_STATES = ['waiting', 'approved', 'rejected'] as const;

/** A rate of tax and what it came to. */
export interface TaxLine {
  readonly name: string;
  /** Parts per million. */
  readonly ppm: number;
  readonly cents: number;
}
const TaxLines: () => z.ZodType<readonly TaxLine[]> = () =>
  z.array(z.object({ name: z.string(), ppm: z.number(), cents: z.number() }));

/** What somebody bought. Everything that it says stays true when the catalogue changes (storefront-domain 4.5). */
export const orderRecord = record(
  'orders',
  {
    id: column.id(ids.order),
    /** null until it is placed by a checkout; drafts of staff have none. */
    orderNumber: column.text(40).nullable(),
    customerId: column.id(ids.customer).references('customers').nullable(),
    email: column.text(255, 3).personal((id) => `anon-${id}@invalid`),
    emailNorm: column
      .text(255)
      .personal()
      .from(({ email }: { email: string }) => emailNormed(email)),
    phone: personal(50),
    status: column.choice(ORDER_STATUSES),
    paymentStatus: column.choice(PAYMENT_STATUSES),
    fulfillmentStatus: column.choice(FULFILLMENT_STATUSES),
    returnStatus: column.choice(RETURN_STATUSES),
    currency: column.text(3, 3),
    locale: column.text(20, 1),
    pricesIncludeTax: column.flag(),
    itemCount: count(),
    subtotalCents: cents(),
    itemDiscountCents: cents(),
    orderDiscountCents: cents(),
    loyaltyDiscountCents: cents(),
    shippingCents: cents(),
    shippingDiscountCents: cents(),
    /** Of items and shipping. */
    taxCents: cents(),
    shippingTaxCents: cents(),
    /** By rate; null in orders of before they were kept. */
    shippingTaxLines: column.json<readonly TaxLine[]>(TaxLines).nullable().addedLater(),
    totalCents: cents(),
    giftCardCents: cents(),
    /** Captured of all other means. */
    paidCents: cents(),
    /** Of refunds that succeeded. */
    refundedCents: cents(),
    /** Refunds that are under way count, too. */
    shippingRefundedCents: cents(),
    shippingMethodId: column.text(30).nullable(),
    shippingMethodName: column.text(100).nullable(),
    /** How it is paid: the id of a processor. */
    processor: column.text(30).nullable(),
    /** Until when an order that is not paid at once has to be. */
    dueAt: column.time().nullable(),
    source: column.choice(SOURCES),
    cartId: column.id(ids.cart).nullable(),
    note: personal(MOST_NOTE),
    giftMessage: personal(MOST_NOTE),
    internalNote: column.text(5000).nullable(),
    tags: column.texts(50, 50),
    risk: column.json<Risk>(RiskSchema).nullable(),
    /** Of staff, before it goes on; most orders have none. */
    review: column.choice(REVIEW_STATES).nullable(),
    ip: personal(45),
    userAgent: personal(300),
    placedAt: column.time().nullable(),
    paidAt: column.time().nullable(),
    cancelledAt: column.time().nullable(),
    cancelReason: column.text(500).nullable(),
    completedAt: column.time().nullable(),
    holdReason: column.text(500).nullable(),
    version: column.integer(1),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: {
      ids: { customerId: 'customers' },
      email: 'emailNorm',
      // It still has to reach somebody.
      needed: { status: ['pending', 'processing', 'on_hold'] },
    },
    kept: 'as long as the books: erasing a customer empties who it was and leaves the amounts',
  },
);
export type Order = ValuesOf<typeof orderRecord>;

/** A line of an order. */
export const orderItemRecord = record(
  'order_items',
  {
    id: column.id(ids.orderItem),
    orderId: column.id(ids.order).references('orders'),
    /** The goods may be gone. */
    variantId: column.text(30).nullable(),
    productId: column.text(30).nullable(),
    sku: column.text(100, 1),
    title: column.text(255, 1),
    variantTitle: column.text(500).nullable(),
    slug: column.text(63).nullable(),
    type: column.text(30, 1),
    unitCents: cents(),
    quantity: column.integer(1, 999),
    subtotalCents: cents(),
    itemDiscountCents: cents(),
    /** What points took off included. */
    orderDiscountCents: cents(),
    netCents: cents(),
    taxCents: cents(),
    totalCents: cents(),
    taxLines: column.json<readonly TaxLine[]>(TaxLines),
    costCents: cents().nullable(),
    giftCardData: column.json<GiftData>(StoredGift).nullable().personal(giftForNobody),
    /** What whoever delivers it needs, as it was when the order was made. */
    fulfilment: column
      .json<Snapshot>(() => z.record(z.string(), z.unknown()))
      .nullable()
      .addedLater(),
    weightG: count(),
    requiresShipping: column.flag(),
    fulfilledQuantity: count(),
    cancelledQuantity: count(),
    returnRequestedQuantity: count(),
    returnedQuantity: count(),
    /** Refunds that are under way count, too; so in the amount. */
    refundedQuantity: count(),
    refundedCents: cents(),
    position: count(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { whose: { ids: { orderId: 'orders' } } },
);
export type OrderItem = ValuesOf<typeof orderItemRecord>;

/** What a promotion, or staff, took off a line or off shipping. */
export const orderAdjustmentRecord = record('order_adjustments', {
  id: column.id(ids.orderAdjustment),
  orderId: column.id(ids.order).references('orders'),
  /** null: shipping. */
  orderItemId: column.id(ids.orderItem).references('order_items').nullable(),
  kind: column.choice(['promotion', 'loyalty', 'manual']),
  promotionId: column.text(30).nullable(),
  code: column.text(100).nullable(),
  label: column.text(255, 1),
  amountCents: cents(),
  createdAt: column.time(),
});
export type OrderAdjustment = ValuesOf<typeof orderAdjustmentRecord>;

/** Where an order goes, and whom its invoice names, as they were when it was placed. */
export const orderAddressRecord = record(
  'order_addresses',
  {
    id: column.id(ids.orderAddress),
    orderId: column.id(ids.order).references('orders'),
    kind: column.choice(['shipping', 'billing']),
    firstName: personal(100),
    lastName: personal(100),
    company: personal(200),
    line1: column.text(200).personal(() => '-'),
    line2: personal(200),
    city: column.text(100).personal(() => '-'),
    state: column.text(100).nullable(),
    postalCode: personal(20),
    country: column.text(2, 2),
    phone: personal(50),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['orderId', 'kind'], whose: { ids: { orderId: 'orders' } } },
);
export type OrderAddress = ValuesOf<typeof orderAddressRecord>;

export const ORDER_EVENT_TYPES = [
  'status',
  'payment',
  'refund',
  'shipment',
  'return',
  'note',
  'email',
  'edit',
  'license',
  'hook',
] as const;
export type OrderEventType = (typeof ORDER_EVENT_TYPES)[number];

/** The history of an order: rows are added and never changed. */
export const orderEventRecord = record(
  'order_events',
  {
    id: column.id(ids.orderEvent),
    orderId: column.id(ids.order).references('orders'),
    type: column.choice(ORDER_EVENT_TYPES),
    from: column.text(30).nullable().stored('from_status'),
    to: column.text(30).nullable().stored('to_status'),
    body: column.text(5000).nullable(),
    data: column.json<Readonly<Record<string, unknown>>>(() => z.record(z.string(), z.unknown())),
    visibleToCustomer: column.flag(),
    actorType: column.choice(['system', 'customer', 'admin', 'api_key', 'processor']),
    actor: column.text(255).nullable(),
    createdAt: column.time(),
  },
  { whose: 'rows are added and never changed, and none names who bought' },
);
export type OrderEvent = ValuesOf<typeof orderEventRecord>;
