import type { Ctx } from '#kernel/context.ts';
import * as orders from '../orders/index.ts';
import { newRefund } from './new-refund.ts';
import type { Payment, Refund } from './record.ts';
import * as repo from './repository.ts';

/**
 * Money that an order does not need goes back in full: the same transaction writes the refund, and `sendRefunds` asks the
 * processor for it after the commit. However often it is called, it goes back once.
 *
 * @param reason `duplicate_payment`, `stock_lost`, `cancelled` or `chargeback`
 * @returns the refund of this reason, also one that was written before; null when nothing is left to go back
 */
export async function refundWhole(
  ctx: Ctx,
  order: orders.Order,
  payment: Payment,
  reason: string,
  notify = true,
): Promise<Refund | null> {
  const amountCents = payment.capturedCents - payment.refundedCents;
  const idempotencyKey = `${reason}:${payment.id}`;
  const known = await repo.findRefundByKey(ctx, order.id, idempotencyKey);
  if (known || amountCents <= 0) return known;
  await repo.takeRefund(ctx, payment.id, amountCents);
  const refund = await newRefund(ctx, {
    orderId: order.id,
    paymentId: payment.id,
    amountCents,
    adjustmentCents: amountCents,
    to: 'original',
    reason,
    notify,
    idempotencyKey,
  });
  await repo.insertRefund(ctx, refund);
  await orders.note(ctx, order.id, {
    type: 'refund',
    data: { refund_id: refund.id, amount_cents: amountCents, reason },
    visibleToCustomer: true,
  });
  return refund;
}
