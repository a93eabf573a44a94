import type { Ctx } from '#kernel/context.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import { issueBought } from '../gift-card-sales/index.ts';
import * as orders from '../orders/index.ts';
import { needsReview, reasonWords } from '../risk/index.ts';

type Order = orders.Order;

/**
 * Keeps an order of high risk until staff have looked at it, in the transaction that has its money (decision 0075). Nobody
 * is told that it is paid before: what is delivered at once cannot be taken back.
 *
 * @param order just moved to processing, locked
 */
export async function heldForReview(ctx: Ctx, order: Order): Promise<Order> {
  if (!needsReview(ctx, order.risk)) return order;
  const reasons = order.risk?.reasons ?? [];
  await tellStaff(ctx, 'admin_order_review', order.id);
  return orders.transition(
    ctx,
    order,
    'hold',
    { holdReason: 'review', review: 'waiting' },
    {
      body: reasons.map(reasonWords).join('. '),
      data: { review: 'waiting', score: order.risk?.score, reasons },
      visibleToCustomer: false,
    },
  );
}

/**
 * Tells whoever delivers that nothing is due any more: once, and for an order in review when it is approved. The gift cards
 * that were bought are issued by the same transaction, and by no subscriber: every short command would load it.
 */
export async function tellPaid(ctx: Ctx, order: Order): Promise<void> {
  if (order.review === 'waiting') return;
  await orders.orderEvents.tell(ctx, 'order.paid', order.id, {});
  await issueBought(ctx, order.id);
}
