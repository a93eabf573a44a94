import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#kernel/service/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as orders from '../orders/index.ts';
import { standingOf } from '../shipments/index.ts';
import { type Cancel, hookedCancel } from './hooked.ts';
import { refund, refundable } from './refunds.ts';

type Order = orders.Order;
type Rest = { readonly item: orders.OrderItem; readonly quantity: number };

const leftOf = ({ quantity, fulfilledQuantity, cancelledQuantity }: orders.OrderItem): number =>
  quantity - fulfilledQuantity - cancelledQuantity;

/**
 * Cancels what is left to ship of an order of which a part has left: nobody waits for it any more, and with nothing left the
 * order is shipped, or completed once all has arrived (storefront-domain 6.1, S44).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, in another state and when nothing is left
 */
export async function cancelRest(ctx: Ctx, idOrNumber: string, asked: Cancel): Promise<Order> {
  const how = await hookedCancel(ctx, idOrNumber, asked);
  const { after, rest } = await ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    const rest = restOf(order, await orders.itemsOf(ctx, order.id));
    for (const { item, quantity } of rest)
      if (!(await orders.takeCancelled(ctx, order.id, item.id, quantity)))
        throw fail('CONFLICT', `order ${order.orderNumber} has changed in the meantime; try again`);
    if (how.restock) await inventory.putBack(ctx, order.id, unitsOf(rest), 'cancellation');
    const after = await moved(ctx, order, rest, how.reason);
    return { after, rest };
  });
  if (isRehearsal(ctx)) return after;
  const { id, version } = after;
  if (how.refund === 'full') await refundRest(ctx, id, rest, { ...how, key: `cancel:${version}` });
  return orders.get(ctx, id);
}

function restOf(order: Order, items: readonly orders.OrderItem[]): Rest[] {
  const rest = items
    .filter((item) => item.requiresShipping && leftOf(item) > 0)
    .map((item) => ({ item, quantity: leftOf(item) }));
  if (order.status === 'processing' && rest.length > 0) return rest;
  const why =
    order.status === 'on_hold'
      ? 'is on hold: release it first'
      : 'has nothing left to cancel: refund it instead';
  throw fail('VALIDATION_ERROR', `order ${order.orderNumber} ${why}`, {
    details: { reason: 'INVALID_TRANSITION', from: order.status, trigger: 'cancel' },
  });
}

const unitsOf = (rest: readonly Rest[]) =>
  rest.flatMap(({ item: { variantId }, quantity }) => (variantId === null ? [] : [{ variantId, quantity }]));

async function moved(ctx: Ctx, order: Order, rest: readonly Rest[], reason: string): Promise<Order> {
  const { fulfillmentStatus, isDelivered, hasLeft } = await standingOf(ctx, order.id);
  const items = rest.map(({ item, quantity }) => ({ order_item_id: item.id, sku: item.sku, quantity }));
  const noted = { body: reason, data: { cancelled: items } };
  await orders.orderEvents.tell(ctx, 'order.items_cancelled', order.id, { items });
  if (!hasLeft) {
    await orders.note(ctx, order.id, { type: 'status', ...noted, visibleToCustomer: true });
    const after = await orders.write(ctx, order, { fulfillmentStatus });
    await orders.tell(ctx, 'order.updated', after, order, reason);
    return after;
  }
  const isDone = isDelivered && order.paidAt !== null;
  const changes = { fulfillmentStatus, ...(isDone && { completedAt: ctx.now() }) };
  const after = await orders.transition(ctx, order, isDone ? 'complete' : 'ship', changes, noted);
  await orders.tell(ctx, isDone ? 'order.completed' : 'order.shipped', after, order, reason);
  return after;
}

/** Money that was taken for what nobody gets; what was refunded before is not refunded again. */
async function refundRest(
  ctx: Ctx,
  id: string,
  rest: readonly Rest[],
  { reason, notify, key }: Pick<Cancel, 'reason' | 'notify'> & { readonly key: string },
): Promise<void> {
  const { items: known, totalCents } = await refundable(ctx, await orders.get(ctx, id));
  const left = new Map(known.map(({ item, quantity }) => [item.id, quantity]));
  const items = rest
    .map(({ item, quantity }) => ({
      orderItemId: item.id,
      quantity: Math.min(quantity, left.get(item.id) ?? 0),
    }))
    .filter(({ quantity }) => quantity > 0);
  if (items.length > 0 && totalCents > 0) await refund(ctx, id, { items, reason, notify, key });
}
