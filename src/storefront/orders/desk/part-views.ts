import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Invoice } from '../documents/index.ts';
import { ORDER_EVENT_TYPES, type OrderEvent } from '../orders/index.ts';
import {
  DISPUTE_STATES,
  INBOX_STATES,
  type Payment,
  type Refund,
  type RefundItem,
  type refundable,
} from '../payments/index.ts';
import { PaymentView, paymentView, RefundView, refundView } from '../payments/view.ts';
import type { ReportOf } from './queries.ts';

const maybe = () => z.string().nullable();

/** A payment as staff see it: with what the processor calls it. */
export const StorePaymentView = later(() =>
  z
    .object({
      ...PaymentView.shape,
      order_id: z.string(),
      processor: z.string(),
      transaction_id: maybe(),
      authorized_cents: count(),
      refundable_cents: count(),
      expires_at: maybe().describe('Until when an authorized amount can be captured'),
      received_at: maybe(),
      dispute: z.enum(DISPUTE_STATES).nullable().describe('Deliveries of the order stop while it is open'),
      updated_at: z.string(),
    })
    .meta({ id: 'StorePayment' }),
);

export const storePaymentView = (one: Payment): z.output<typeof StorePaymentView> => ({
  ...paymentView(one),
  order_id: one.orderId,
  processor: one.processor,
  transaction_id: one.transactionId,
  authorized_cents: one.authorizedCents,
  refundable_cents: one.capturedCents - one.refundedCents,
  expires_at: one.expiresAt,
  received_at: one.receivedAt,
  dispute: one.dispute,
  updated_at: one.updatedAt,
});

const RefundItemView = later(() =>
  z
    .object({
      order_item_id: z.string(),
      quantity: count(),
      amount_cents: count(),
      tax_cents: count(),
      restock: z.boolean(),
    })
    .meta({ id: 'StoreRefundItem' }),
);

/** A refund as staff see it. */
export const StoreRefundView = later(() =>
  z
    .object({
      ...RefundView.shape,
      currency: z.string(),
      order_id: z.string(),
      payment_id: maybe(),
      processor_refund_id: maybe(),
      actor: maybe(),
      items: z.array(RefundItemView),
      credit_note_number: maybe().describe('null until the money was refunded'),
      updated_at: z.string(),
    })
    .meta({ id: 'StoreRefund' }),
);

/** What stands in refunds, and what was issued for them. */
export interface RefundParts {
  readonly items: readonly RefundItem[];
  readonly notes: readonly Invoice[];
  readonly currency: string;
}

export const storeRefundView = (
  one: Refund,
  { items, notes, currency }: RefundParts,
): z.output<typeof StoreRefundView> => ({
  ...refundView(one),
  currency,
  order_id: one.orderId,
  payment_id: one.paymentId,
  processor_refund_id: one.processorRefundId,
  actor: one.actor,
  items: items
    .filter(({ refundId }) => refundId === one.id)
    .map(({ orderItemId, quantity, amountCents, taxCents, restock }) => ({
      order_item_id: orderItemId,
      quantity,
      amount_cents: amountCents,
      tax_cents: taxCents,
      restock,
    })),
  credit_note_number: notes.find(({ refundId }) => refundId === one.id)?.invoiceNumber ?? null,
  updated_at: one.updatedAt,
});

/** A line of the history of an order. */
export const OrderEventView = later(() =>
  z
    .object({
      id: z.string(),
      type: z.enum(ORDER_EVENT_TYPES),
      from: maybe(),
      to: maybe(),
      body: maybe(),
      data: z.record(z.string(), z.unknown()),
      visible_to_customer: z.boolean(),
      actor_type: z.enum(['system', 'customer', 'admin', 'api_key', 'processor']),
      actor: maybe(),
      created_at: z.string(),
    })
    .meta({ id: 'OrderEvent' }),
);

export const eventView = (one: OrderEvent): z.output<typeof OrderEventView> => ({
  id: one.id,
  type: one.type,
  from: one.from,
  to: one.to,
  body: one.body,
  data: { ...one.data },
  visible_to_customer: one.visibleToCustomer,
  actor_type: one.actorType,
  actor: one.actor,
  created_at: one.createdAt,
});

/** What a processor has reported. */
export const ProcessorEventView = later(() =>
  z
    .object({
      id: z.string(),
      processor: z.string(),
      processor_event_id: z.string(),
      type: z.string(),
      status: z.enum(INBOX_STATES),
      attempts: count(),
      error: maybe(),
      payment_id: maybe(),
      order_number: maybe(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .meta({ id: 'ProcessorEvent' }),
);

export const processorEventView = (one: ReportOf): z.output<typeof ProcessorEventView> => ({
  id: one.id,
  processor: one.processor,
  processor_event_id: one.processorEventId,
  type: one.type,
  status: one.status,
  attempts: one.attempts,
  error: one.error,
  payment_id: one.paymentId,
  order_number: one.orderNumber,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

/** What of an order can still be refunded. */
export const RefundableView = later(() =>
  z
    .object({
      items: z.array(
        z.object({
          order_item_id: z.string(),
          sku: z.string(),
          title: z.string(),
          quantity: count(),
          amount_cents: count(),
        }),
      ),
      shipping_cents: count(),
      total_cents: count(),
      payments: z.array(
        z.object({
          payment_id: z.string(),
          processor: z.string(),
          method_label: maybe(),
          amount_cents: count(),
        }),
      ),
    })
    .meta({ id: 'StoreRefundable' }),
);

export const refundableView = (
  left: Awaited<ReturnType<typeof refundable>>,
): z.output<typeof RefundableView> => ({
  items: left.items.map(({ item, quantity, amountCents }) => ({
    order_item_id: item.id,
    sku: item.sku,
    title: item.title,
    quantity,
    amount_cents: amountCents,
  })),
  shipping_cents: left.shippingCents,
  total_cents: left.totalCents,
  payments: left.payments.map(({ payment, amountCents }) => ({
    payment_id: payment.id,
    processor: payment.processor,
    method_label: payment.methodLabel,
    amount_cents: amountCents,
  })),
});
