import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { equalSecrets } from '#kernel/crypto.ts';
import { fail } from '#kernel/service/errors.ts';
import { customerCancelMinutes } from '#storefront/contract/selling-settings.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { canReturn } from '../returns/index.ts';

/** What may be done with an order by whoever bought it. */
interface Actions {
  readonly canCancel: boolean;
  readonly canPay: boolean;
  readonly canReturn: boolean;
}

/** An order with everything that its shopper is told of it. */
export interface ShopperOrder {
  readonly whole: orders.WholeOrder;
  readonly payments: readonly payments.Payment[];
  readonly refunds: readonly payments.Refund[];
  /** What is public of its history, the oldest first. */
  readonly history: readonly orders.OrderEvent[];
  readonly delivered: orders.Delivered;
  readonly actions: Actions;
}

/** A placed order as its shopper sees it. */
export async function shopperOrder(ctx: Ctx, order: orders.Order): Promise<ShopperOrder> {
  const whole = await orders.whole(ctx, order);
  return {
    whole,
    payments: await payments.paymentsOf(ctx, order.id),
    refunds: await payments.refundsOf(ctx, order.id),
    history: await publicHistory(ctx, order),
    delivered: await orders.deliveredOf(ctx, order),
    actions: { ...actionsOf(ctx, whole), canReturn: await canReturn(ctx, order) },
  };
}

const publicHistory = async (ctx: Ctx, { id }: orders.Order): Promise<orders.OrderEvent[]> =>
  (await orders.historyOf(ctx, id)).filter(({ visibleToCustomer }) => visibleToCustomer);

/** A shopper cancels while the order waits for its money, or shortly after it was placed (storefront-domain 6.1). */
function actionsOf(ctx: Ctx, { order, items }: orders.WholeOrder): Omit<Actions, 'canReturn'> {
  const { status, placedAt } = order;
  const isLive = placedAt !== null && orders.allowedIn(status).includes('cancel');
  const until = addSeconds(placedAt ?? ctx.now(), ctx.settings.get(customerCancelMinutes) * 60);
  const isEarly = status === 'pending' || ctx.now() < until;
  const hasParcels = items.some(({ fulfilledQuantity }) => fulfilledQuantity > 0);
  return {
    canCancel: isLive && isEarly && !hasParcels,
    canPay: isToPay(order),
  };
}

/** Whether a part of an order is still to be paid. What went back is not asked for again. */
export const isToPay = (order: orders.Order): boolean =>
  order.placedAt !== null &&
  order.status !== 'cancelled' &&
  order.refundedCents === 0 &&
  orders.settlement(order) > 0;

/** How far an order is, for whoever knows its number and address. */
export interface Tracked {
  readonly order: orders.Order;
  readonly parcels: readonly orders.Parcel[];
  readonly history: readonly orders.OrderEvent[];
}

/**
 * Finds an order by its number and the email address that it was placed with. An unknown number and another order's address
 * are refused alike, after the same work.
 *
 * @param number as somebody types it, `#1001` too
 * @throws AppError NOT_FOUND
 */
export async function track(
  ctx: Ctx,
  { number, email }: { readonly number: string; readonly email: string },
): Promise<Tracked> {
  const order = await orders.findByNumber(ctx, number.trim().replace(/^#/, ''));
  const isTheirs = equalSecrets(emailNormed(order?.email ?? ''), emailNormed(email));
  if (!order?.placedAt || !isTheirs)
    throw fail('NOT_FOUND', 'No order matches this number and email address. Check both and try again');
  return { order, parcels: await orders.parcelsOf(ctx, order), history: await publicHistory(ctx, order) };
}

/**
 * Cancels an order for whoever bought it; what was paid goes back to where it came from (storefront-settled Z17).
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION, once it is too late for that
 */
export async function cancelOwn(
  ctx: Ctx,
  order: orders.Order,
  reason = 'Canceled by the customer',
): Promise<orders.Order> {
  if (!actionsOf(ctx, await orders.whole(ctx, order)).canCancel)
    throw fail('VALIDATION_ERROR', `order ${order.orderNumber} can no longer be canceled; contact the shop`, {
      details: { reason: 'INVALID_TRANSITION', from: order.status, trigger: 'cancel' },
    });
  return payments.cancel(ctx, order.id, {
    reason,
    refund: 'full',
    restock: true,
  });
}
