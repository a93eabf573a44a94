import type { Ctx } from '#kernel/context.ts';
import { takeNumber } from '#kernel/db/counters.ts';
import { ids } from '#storefront/contract/ids.ts';
import type { Refund } from './record.ts';

/** A refund that is under way, with the next number. */
export async function newRefund(
  ctx: Ctx,
  facts: Pick<Refund, 'orderId' | 'paymentId' | 'amountCents' | 'to' | 'reason' | 'idempotencyKey'> &
    Partial<Refund>,
): Promise<Refund> {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.refund),
    refundNumber: `F${await takeNumber(ctx, 'shop_refund_number')}`,
    returnId: null,
    itemsCents: 0,
    shippingCents: 0,
    adjustmentCents: 0,
    taxCents: 0,
    processorRefundId: null,
    status: 'pending',
    actor: (ctx.actor.label || ctx.actor.kind).slice(0, 255),
    error: null,
    attempts: 0,
    notify: true,
    ...facts,
    createdAt: now,
    updatedAt: now,
  };
}
