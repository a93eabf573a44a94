import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { paymentCaptureMode } from '#storefront/contract/payment-settings.ts';
import type { Order } from '../orders/index.ts';
import * as payments from '../payments/index.ts';

/**
 * Takes the money of an order in review that would have been taken at once without one. Where staff capture by hand it
 * stays held.
 *
 * @throws AppError VALIDATION_ERROR, reason PAYMENT_DECLINED, when the processor does not give it: the order stays in review
 */
export async function takeHeldMoney(ctx: Ctx, order: Order): Promise<void> {
  if (order.review !== 'waiting' || ctx.settings.get(paymentCaptureMode) !== 'automatic') return;
  for (const { id, kind, status } of await payments.paymentsOf(ctx, order.id)) {
    if (status !== 'authorized' || kind === 'gift_card') continue;
    const taken = await payments.capture(ctx, order.id, id);
    if (taken.status !== 'captured')
      throw fail(
        'VALIDATION_ERROR',
        'The processor has not released the authorized money. Check the payment there, or reject the order',
        { details: { reason: 'PAYMENT_DECLINED', payment_id: id } },
      );
  }
}
