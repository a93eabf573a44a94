import type { Ctx } from '#kernel/context.ts';
import { Detour } from '#kernel/hooks/hooks.ts';
import { tell, transition } from './orders.ts';
import type { Order } from './record.ts';
import { lockOrder } from './repository.ts';

const isDone = ({ status, fulfillmentStatus, paidAt, placedAt }: Order): boolean =>
  status === 'processing' && fulfillmentStatus === 'not_required' && paidAt !== null && placedAt !== null;

/**
 * Completes a paid order without anything to ship, in a transaction of its own after the one that brought the money: what
 * fails here takes no payment back, and `complete-orders` tries again (storefront-domain 8.9).
 *
 * @returns the order as it is then; one that is not done stays as it is
 */
export async function completePaid(ctx: Ctx, order: Order): Promise<Order> {
  if (!isDone(order)) return order;
  try {
    return await ctx.tx(async (ctx) => {
      const before = await lockOrder(ctx, order.id);
      if (!before || !isDone(before)) return before ?? order;
      const after = await transition(ctx, before, 'complete', { completedAt: ctx.now() });
      await tell(ctx, 'order.completed', after, before);
      return after;
    });
  } catch (error) {
    // In a transaction of somebody else's: it is repeated.
    if (error instanceof Detour) throw error;
    ctx.log.warn({ err: error, order: order.id }, 'a paid order could not be completed');
    return order;
  }
}
