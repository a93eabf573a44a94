import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import * as carts from '../cart/index.ts';
import type { Placed, PlaceInput } from './types.ts';

/**
 * The order that a cart has become already: a request that is sent again is answered with it (storefront-domain 8,
 * Replay). A payment that waits for its buyer is given up first where another source is presented.
 *
 * @returns null where the order has to be made, or its payment was refused and is tried again
 * @throws AppError VALIDATION_ERROR, reason PAYMENT_IN_PROGRESS
 */
export async function replayOf(ctx: Ctx, owner: carts.Owner, input: PlaceInput): Promise<Placed | null> {
  const cart = await cartMeant(ctx, owner, input.cartId);
  const order = cart && (await orders.findByCart(ctx, cart.id));
  if (!order) return null;
  const all = await payments.paymentsOf(ctx, order.id);
  // The report of one may have placed it between the two looks: its cart is empty then.
  if (order.placedAt === null && (await orders.findOrder(ctx, order.id))?.placedAt)
    return replayOf(ctx, owner, input);
  const last = all.filter(({ kind }) => kind !== 'gift_card').at(-1) ?? null;
  if (order.placedAt !== null) return { order, payment: last, isReplay: true };
  if (order.status === 'cancelled') return ended(cart);
  const open = all.find(({ status }) => payments.OPEN_STATES.includes(status));
  if (!open) return null;
  if (open.status !== 'requires_action' || open.sourceHash === hashOf(input))
    return { order, payment: open, isReplay: true };
  await giveUpWaiting(ctx, open);
  return null;
}

/**
 * Gives up a payment that waits for its buyer, who has chosen another way to pay.
 *
 * @throws AppError VALIDATION_ERROR, reason PAYMENT_IN_PROGRESS
 */
export async function giveUpWaiting(ctx: Ctx, open: payments.Payment): Promise<void> {
  if (await payments.giveUp(ctx, open)) return;
  throw fail(
    'VALIDATION_ERROR',
    'Another payment for this order is in progress. Finish it, or try again in a minute',
    { details: { reason: 'PAYMENT_IN_PROGRESS' } },
  );
}

const hashOf = ({ processor, sourceId }: PlaceInput): string =>
  payments.hashOf({ processor: processor ?? '', sourceId });

/** An order that ran out of time leaves its cart to be ordered again. */
const ended = (cart: carts.Cart): null => {
  if (cart.status === 'active') return null;
  throw fail('VALIDATION_ERROR', 'This order was canceled. Add the items to your cart again', {
    details: { reason: 'CART_CHANGED' },
  });
};

/** The cart of the form that was sent, while it is the shopper's; otherwise the active one, or the one ordered last. */
async function cartMeant(
  ctx: Ctx,
  owner: carts.Owner,
  cartId: string | undefined,
): Promise<carts.Cart | null> {
  if (cartId !== undefined) return carts.ownCart(ctx, owner, cartId);
  const active = await carts.findCart(ctx, owner);
  if (active?.orderId || (active && (await carts.hasLines(ctx, active.id)))) return active;
  return carts.lastOrdered(ctx, owner);
}
