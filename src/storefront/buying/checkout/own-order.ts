import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as carts from '../cart/index.ts';

/**
 * An order of whoever asks: of the customer who signed in, or of the browser whose cart it was.
 *
 * @throws AppError NOT_FOUND, the same for an order of somebody else and for an unknown one
 */
export async function ownOrder(ctx: Ctx, owner: carts.Owner, number: string): Promise<orders.Order> {
  const order = await found(ctx, number);
  if (order && (await isOwnOrder(ctx, owner, order))) return order;
  throw fail('NOT_FOUND', `order ${number} does not exist`);
}

async function found(ctx: Ctx, number: string): Promise<orders.Order | null> {
  try {
    return await orders.get(ctx, number);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Whether whoever asks has ordered it: as a customer, or in this browser. */
async function isOwnOrder(ctx: Ctx, owner: carts.Owner, order: orders.Order): Promise<boolean> {
  if (owner.customerId !== null && order.customerId === owner.customerId) return true;
  return order.cartId !== null && (await carts.ownCart(ctx, owner, order.cartId)) !== null;
}
