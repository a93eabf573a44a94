import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { MOST_CENTS } from '../orders/index.ts';

export const PAYMENT_STATES = [
  'created',
  'requires_action',
  'pending',
  'authorized',
  'captured',
  'failed',
  'voided',
  'expired',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** Nobody knows yet what becomes of them: an order has at most one of these. */
export const OPEN_STATES: readonly PaymentState[] = ['created', 'requires_action', 'pending'];

export const DISPUTE_STATES = ['open', 'won', 'lost'] as const;

const cents = () => column.integer(0, MOST_CENTS);
const facts = () => column.json<Readonly<Record<string, unknown>>>(() => z.record(z.string(), z.unknown()));

/** Money for an order: charged by a processor, recorded by staff, or held of a gift card (storefront-domain 4.6). */
export const paymentRecord = record('payments', {
  id: column.id(ids.payment),
  orderId: column.id(ids.order).references('orders'),
  processor: column.text(30, 1),
  kind: column.choice(['card', 'wallet', 'offline', 'gift_card']),
  /** `Visa •••• 4242`. */
  methodLabel: column.text(100).nullable(),
  status: column.choice(PAYMENT_STATES),
  amountCents: cents(),
  authorizedCents: cents(),
  capturedCents: cents(),
  /** Refunds that are under way count, too. */
  refundedCents: cents(),
  currency: column.text(3, 3),
  /** Of the processor; of a gift card the entry of its ledger. */
  transactionId: column.text(255).nullable(),
  /** Of processor and source: a repeated request is recognised by it. */
  sourceHash: column.text(64).nullable(),
  giftCardId: column.text(30).nullable(),
  /** The same for every payment with the same card: what defends against those who try out cards. */
  fingerprint: column.text(255).nullable(),
  country: column.text(2).nullable(),
  nextAction: facts().nullable(),
  errorCode: column.text(100).nullable(),
  errorMessage: column.text(1000).nullable(),
  /** What the processor answered, without secrets. */
  raw: facts().nullable(),
  /** Until when an authorised amount can be captured. */
  expiresAt: column.time().nullable(),
  /** When money that staff recorded arrived. */
  receivedAt: column.time().nullable(),
  /** What its bank says of it: nothing of the order is delivered while a dispute is open. */
  dispute: column.choice(DISPUTE_STATES).nullable().addedLater(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Payment = ValuesOf<typeof paymentRecord>;

export const REFUND_STATES = ['pending', 'succeeded', 'failed'] as const;
export const REFUND_TO = ['original', 'gift_card', 'offline'] as const;

/** Money that goes back. */
export const refundRecord = record('refunds', {
  id: column.id(ids.refund),
  refundNumber: column.text(30, 1),
  orderId: column.id(ids.order).references('orders'),
  paymentId: column.id(ids.payment).references('payments').nullable(),
  /** The goods came back with it. */
  returnId: column.text(30).nullable().addedLater(),
  amountCents: cents(),
  itemsCents: cents(),
  shippingCents: cents(),
  adjustmentCents: cents(),
  /** Part of the amount. */
  taxCents: cents(),
  to: column.choice(REFUND_TO).stored('refund_to'),
  processorRefundId: column.text(255).nullable(),
  status: column.choice(REFUND_STATES),
  reason: column.text(500, 1),
  idempotencyKey: column.text(255, 1),
  /** Who asked for it, by name. */
  actor: column.text(255).nullable(),
  error: column.text(1000).nullable(),
  attempts: column.integer(0),
  /** The customer is written to when the money has gone back. */
  notify: column.flag(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Refund = ValuesOf<typeof refundRecord>;

/** What of a line goes back. */
export const refundItemRecord = record('refund_items', {
  id: column.id(ids.refundItem),
  refundId: column.id(ids.refund).references('refunds'),
  orderItemId: column.id(ids.orderItem).references('order_items'),
  quantity: column.integer(0, 999),
  amountCents: cents(),
  taxCents: cents(),
  restock: column.flag(),
  createdAt: column.time(),
});
export type RefundItem = ValuesOf<typeof refundItemRecord>;

export const INBOX_STATES = ['received', 'handled', 'ignored', 'failed'] as const;

/** What processors report, stored before anything is done about it (P18). */
export const processorEventRecord = record(
  'processor_events',
  {
    id: column.id(ids.processorEvent),
    processor: column.text(30, 1),
    processorEventId: column.text(255, 1),
    type: column.text(100, 1),
    bodySha256: column.text(64, 64),
    /** As it was understood: amounts, ids and what the processor sent, without secrets. */
    body: facts(),
    status: column.choice(INBOX_STATES),
    paymentId: column.text(30).nullable(),
    attempts: column.integer(0),
    nextAttemptAt: column.time().nullable(),
    error: column.text(1000).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['processor', 'processorEventId'] },
);
export type ProcessorEvent = ValuesOf<typeof processorEventRecord>;
