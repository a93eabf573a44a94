import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { activeProcessorOf } from '#storefront/orders/processors/index.ts';
import type * as carts from '../cart/index.ts';
import { ownOrder } from './own-order.ts';
import { placeOrder } from './place.ts';
import type { Placed, WaysOf } from './types.ts';

/** Another try to pay an order. */
export interface RetryInput {
  readonly processor: string;
  readonly sourceId: string | null;
  readonly expectedTotalCents?: number | undefined;
}

/**
 * Pays an order whose payment was refused. While it was not placed that is the checkout of its cart again; one that waits
 * for its money is paid as it stands.
 *
 * @throws AppError as `placeOrder`; NOT_FOUND for somebody else's order
 */
export async function retry(
  ctx: Ctx,
  owner: carts.Owner,
  number: string,
  input: RetryInput,
  ways: WaysOf,
): Promise<Placed> {
  const order = await ownOrder(ctx, owner, number);
  if (order.placedAt === null && order.cartId !== null)
    return placeOrder(ctx, owner, { ...input, termsAccepted: true, cartId: order.cartId }, ways);
  return payOrder(ctx, order.id, input, ways);
}

/** Pays what is due of a placed order. @throws AppError VALIDATION_ERROR */
export async function payOrder(ctx: Ctx, orderId: string, input: RetryInput, ways: WaysOf): Promise<Placed> {
  const { kind } = activeProcessorOf(ctx, input.processor);
  const { order, payment, isReplay } = await ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, orderId);
    const due = orders.settlement(order);
    if (order.status === 'cancelled' || due <= 0)
      throw fail('VALIDATION_ERROR', 'Nothing is due for this order', {
        details: { reason: 'INVALID_TRANSITION' },
      });
    requireTotal(order, input.expectedTotalCents);
    const open = (await payments.paymentsOf(ctx, order.id)).find(({ status }) =>
      payments.OPEN_STATES.includes(status),
    );
    if (open) return { order, payment: open, isReplay: true };
    if (kind === 'offline') return { order, payment: null, isReplay: false };
    const begun = await payments.begin(ctx, order, input, due);
    return { order, payment: begun, isReplay: false };
  });
  if (isReplay || !payment) return { order, payment, isReplay };
  const settled = await payments.charge(ctx, payment, order, input, ways(order));
  return { ...settled, isReplay: false };
}

function requireTotal({ totalCents }: orders.Order, expected: number | undefined): void {
  if (expected === undefined || expected === totalCents) return;
  throw fail('VALIDATION_ERROR', 'The total has changed. Look at it and pay again', {
    details: { reason: 'TOTAL_CHANGED', totals: { total_cents: totalCents } },
  });
}
