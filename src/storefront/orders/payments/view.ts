import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PAYMENT_STATES, type Payment, REFUND_STATES, REFUND_TO, type Refund } from './record.ts';

/** A payment as its shopper sees it: nothing of the processor's own. */
export const PaymentView = later(() =>
  z
    .object({
      id: z.string(),
      kind: z.enum(['card', 'wallet', 'offline', 'gift_card']),
      method_label: z.string().nullable(),
      status: z.enum(PAYMENT_STATES),
      amount_cents: count(),
      captured_cents: count(),
      refunded_cents: count(),
      currency: z.string(),
      next_action: z.record(z.string(), z.unknown()).nullable(),
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
      created_at: z.string(),
    })
    .meta({ id: 'Payment' }),
);

export const paymentView = (one: Payment): z.output<typeof PaymentView> => ({
  id: one.id,
  kind: one.kind,
  method_label: one.methodLabel,
  status: one.status,
  amount_cents: one.amountCents,
  captured_cents: one.capturedCents,
  refunded_cents: one.refundedCents,
  currency: one.currency,
  next_action: one.nextAction,
  error_code: one.errorCode,
  error_message: one.errorMessage,
  created_at: one.createdAt,
});

export const RefundView = later(() =>
  z
    .object({
      id: z.string(),
      refund_number: z.string(),
      status: z.enum(REFUND_STATES),
      amount_cents: count(),
      items_cents: count(),
      shipping_cents: count(),
      adjustment_cents: count(),
      tax_cents: count(),
      to: z.enum(REFUND_TO),
      reason: z.string(),
      error: z.string().nullable(),
      created_at: z.string(),
    })
    .meta({ id: 'Refund' }),
);

export const refundView = (one: Refund): z.output<typeof RefundView> => ({
  id: one.id,
  refund_number: one.refundNumber,
  status: one.status,
  amount_cents: one.amountCents,
  items_cents: one.itemsCents,
  shipping_cents: one.shippingCents,
  adjustment_cents: one.adjustmentCents,
  tax_cents: one.taxCents,
  to: one.to,
  reason: one.reason,
  error: one.error,
  created_at: one.createdAt,
});
