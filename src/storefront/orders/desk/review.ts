import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { release, requireRefunder } from './desk.ts';

type Order = orders.Order;

/** @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION, for an order that nobody has to look at */
function requireWaiting(order: Order): void {
  if (order.review === 'waiting') return;
  const state = order.review === null ? 'needs no review' : `was ${order.review} already`;
  throw fail('VALIDATION_ERROR', `order ${order.orderNumber ?? order.id} ${state}`, {
    details: { reason: 'INVALID_TRANSITION', from: order.status },
  });
}

/** Lets an order that waited for a review go on. @throws AppError as `release` */
export async function approve(ctx: Ctx, idOrNumber: string): Promise<Order> {
  requireWaiting(await orders.get(ctx, idOrNumber));
  return release(ctx, idOrNumber);
}

/**
 * Cancels an order that waited for a review: money that is held is given up, money that was taken goes back, and so do the
 * goods.
 *
 * @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE; VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export async function reject(ctx: Ctx, idOrNumber: string, reason: string): Promise<Order> {
  requireRefunder(ctx);
  return payments.cancel(ctx, idOrNumber, { reason, refund: 'full', restock: true }, requireWaiting);
}
