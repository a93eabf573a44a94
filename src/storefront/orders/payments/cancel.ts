import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { countOrder } from '#storefront/people/customers/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import { takeInvoiceBack } from '../documents/index.ts';
import { withdrawAll } from '../gift-card-sales/index.ts';
import { mailCancelled } from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import { sync } from './charge.ts';
import { giveBackHolds } from './ending.ts';
import { giveUp } from './giving-up.ts';
import { type Cancel, hookedCancel } from './hooked.ts';
import { OPEN_STATES, type Payment } from './record.ts';
import { leftOf } from './refund-parts.ts';
import { sendRefund, settleRefund } from './refund-sending.ts';
import { refundWhole } from './refund-whole.ts';
import { isDoneHere } from './refunds.ts';
import * as repo from './repository.ts';

/**
 * Cancels an order of which nothing was shipped: what it holds and has used goes back, authorised money is given up, and
 * paid money is refunded when that is asked for (storefront-domain 6.1).
 *
 * @param require throws for an order that must not be cancelled this way; it is locked
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, for an order that has left or ended
 */
export async function cancel(
  ctx: Ctx,
  idOrNumber: string,
  asked: Cancel,
  require: (order: orders.Order) => void = () => undefined,
): Promise<orders.Order> {
  const how = await hookedCancel(ctx, idOrNumber, asked);
  const cancelled = await ctx.tx(async (ctx) => {
    const order = await held(ctx, idOrNumber);
    require(order);
    return cancelLocked(ctx, order, how);
  });
  // A processor would give payments up for good.
  return isRehearsal(ctx) ? cancelled : settleMoney(ctx, cancelled.id);
}

/**
 * Cancels an order that was placed to be paid later, and of which nothing was paid in its time (storefront-domain 6.1). One
 * that is being paid at this moment waits: the money counts, if it comes.
 *
 * @returns whether it was cancelled
 */
export async function cancelOverdue(ctx: Ctx, orderId: string): Promise<boolean> {
  const isOver = await ctx.tx(async (ctx) => {
    const order = await held(ctx, orderId);
    const isUnpaid = order.status === 'pending' && order.placedAt !== null && order.paidCents === 0;
    if (!isUnpaid || order.dueAt === null || order.dueAt > ctx.now()) return false;
    if ((await repo.paymentsOf(ctx, orderId)).some(isUnderWay)) return false;
    await cancelLocked(ctx, order, { reason: 'payment_expired', refund: 'none', restock: true });
    return true;
  });
  if (isOver) await settleMoney(ctx, orderId);
  return isOver;
}

const isUnderWay = ({ kind, status }: Payment): boolean =>
  OPEN_STATES.includes(status) || (kind !== 'gift_card' && status === 'authorized');

/** The order, its cart and itself locked. @throws AppError NOT_FOUND */
async function held(ctx: Ctx, idOrNumber: string): Promise<orders.Order> {
  const seen = await orders.get(ctx, idOrNumber);
  if (seen.cartId) await repo.holdCart(ctx, seen.cartId);
  return orders.lock(ctx, seen.id);
}

/** Outside of any transaction: what is open is given up, what is owed goes back. */
async function settleMoney(ctx: Ctx, orderId: string): Promise<orders.Order> {
  await voidAll(ctx, orderId);
  for (const refund of await repo.refundsOf(ctx, orderId))
    if (refund.status === 'pending') await sendRefund(ctx, refund.id);
  return orders.get(ctx, orderId);
}

async function cancelLocked(
  ctx: Ctx,
  order: orders.Order,
  { reason, refund, restock, notify = true }: Cancel,
) {
  orders.requireAllowed(order, 'cancel');
  const wasPlaced = order.placedAt !== null;
  const items = await orders.itemsOf(ctx, order.id);
  if (items.some(({ fulfilledQuantity }) => fulfilledQuantity > 0))
    orders.requireAllowed({ ...order, status: 'shipped' }, 'cancel');
  if (!wasPlaced) await giveBackHolds(ctx, order.id);
  else {
    await withdrawAll(ctx, order.id, items);
    if (restock) await putBack(ctx, order.id, items);
    await promotions.release(ctx, order.id);
  }
  const cancelled = await orders.transition(
    ctx,
    order,
    'cancel',
    {
      cancelledAt: ctx.now(),
      cancelReason: reason,
      dueAt: null,
      ...(order.review === 'waiting' && { review: 'rejected' as const }),
    },
    { body: reason, data: { reason } },
  );
  if (!wasPlaced) {
    await orders.orderEvents.tell(ctx, 'order.ended', order.id, { wasPlaced, cartId: order.cartId });
    return cancelled;
  }
  if (order.customerId !== null)
    await countOrder(ctx, order.customerId, -1, -(order.paidCents + order.giftCardCents));
  await giveBackMoney(ctx, cancelled, refund, notify);
  // What was paid is credited with its refund.
  if (order.paidCents + order.giftCardCents === 0) await takeInvoiceBack(ctx, cancelled);
  await orders.orderEvents.tell(ctx, 'order.ended', order.id, { wasPlaced, cartId: order.cartId });
  const after = (await orders.findOrder(ctx, order.id)) as orders.Order;
  if (notify) await mailCancelled(ctx, after);
  await orders.tell(ctx, 'order.cancelled', after, order, reason);
  return after;
}

const putBack = (ctx: Ctx, orderId: string, items: readonly orders.OrderItem[]): Promise<void> =>
  inventory.putBack(
    ctx,
    orderId,
    items.flatMap(({ variantId, quantity, cancelledQuantity }) =>
      variantId === null ? [] : [{ variantId, quantity: quantity - cancelledQuantity }],
    ),
    'cancellation',
  );

/** What gift cards paid goes back to them; other money only when it is asked for. */
async function giveBackMoney(
  ctx: Ctx,
  order: orders.Order,
  refund: Cancel['refund'],
  notify: boolean,
): Promise<void> {
  for (const payment of await repo.paymentsOf(ctx, order.id)) {
    if (leftOf(payment) <= 0 || (refund === 'none' && payment.kind !== 'gift_card')) continue;
    const made = await refundWhole(ctx, order, payment, 'cancelled', notify);
    if (made && isDoneHere(payment, 'original'))
      await settleRefund(ctx, made.id, { status: 'succeeded', refundId: null });
  }
}

/**
 * Gives up what is authorised or still open, at the processor. What it still works on is asked for first: money that was
 * taken meanwhile goes back. What it cannot say now, `sync-payments` asks later.
 */
async function voidAll(ctx: Ctx, orderId: string): Promise<void> {
  for (const payment of await repo.paymentsOf(ctx, orderId)) {
    if (payment.kind === 'gift_card') continue;
    const now = isUnsure(payment) ? await asked(ctx, payment) : payment;
    if (now.status === 'authorized' || OPEN_STATES.includes(now.status)) await giveUp(ctx, now);
  }
}

const isUnsure = ({ status }: Payment): boolean => status === 'created' || status === 'pending';

async function asked(ctx: Ctx, payment: Payment): Promise<Payment> {
  try {
    return (await sync(ctx, payment))?.payment ?? payment;
  } catch (error) {
    ctx.log.warn({ err: error, payment: payment.id }, 'a processor could not be asked about a payment');
    return payment;
  }
}
