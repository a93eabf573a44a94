import type { Ctx } from '#kernel/context.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import * as orders from '../orders/index.ts';
import { releaseHeld } from './gift-cards.ts';

type Order = orders.Order;

/** Gives back everything that an order holds and has not used up. */
export async function giveBackHolds(ctx: Ctx, orderId: string): Promise<void> {
  await inventory.release(ctx, orderId);
  await promotions.release(ctx, orderId);
  await releaseHeld(ctx, orderId);
}

/**
 * Ends an order that was never placed: nobody but its shopper knew of it, so that no webhook is told.
 *
 * @param order locked
 * @param reason `payment_expired`, `stock_lost`
 */
export async function endUnplaced(
  ctx: Ctx,
  order: Order,
  reason: string,
  changes: Partial<Order> = {},
): Promise<Order> {
  await giveBackHolds(ctx, order.id);
  const ended = await orders.transition(
    ctx,
    order,
    'expire',
    // Its cart is there to be ordered again.
    { ...changes, cartId: null, cancelledAt: ctx.now(), cancelReason: reason },
    { data: { reason } },
  );
  await orders.orderEvents.tell(ctx, 'order.ended', order.id, { wasPlaced: false, cartId: order.cartId });
  return ended;
}
