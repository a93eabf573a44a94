import type { Ctx } from '#kernel/context.ts';
import * as orders from '../orders/index.ts';
import { newRefund } from './new-refund.ts';
import type { Payment, Refund } from './record.ts';
import * as repo from './repository.ts';

/** Key of what goes back in full, once for a payment: no refund of staff has such a one. */
const keyOf = (reason: string, paymentId: string | null): string => `${reason}:${paymentId}`;

export const isDuplicate = ({ idempotencyKey, paymentId }: Refund): boolean =>
  idempotencyKey === keyOf('duplicate_payment', paymentId);

/**
 * Money that an order does not need goes back in full: the same transaction writes the refund, and `sendRefunds` asks the
 * processor for it after the commit. However often it is called, it goes back once.
 *
 * @param reason `duplicate_payment`, `stock_lost`
 */
export async function refundWhole(
  ctx: Ctx,
  order: orders.Order,
  payment: Payment,
  reason: string,
): Promise<orders.Order> {
  const amountCents = payment.capturedCents - payment.refundedCents;
  const idempotencyKey = keyOf(reason, payment.id);
  if (amountCents <= 0 || (await repo.findRefundByKey(ctx, order.id, idempotencyKey))) return order;
  await repo.takeRefund(ctx, payment.id, amountCents);
  const refund = await newRefund(ctx, {
    orderId: order.id,
    paymentId: payment.id,
    amountCents,
    adjustmentCents: amountCents,
    to: 'original',
    reason,
    idempotencyKey,
  });
  await repo.insertRefund(ctx, refund);
  await orders.note(ctx, order.id, {
    type: 'refund',
    data: { refund_id: refund.id, amount_cents: amountCents, reason },
    visibleToCustomer: true,
  });
  return order;
}
