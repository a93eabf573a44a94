import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import * as mails from '../mails/index.ts';
import * as orders from '../orders/index.ts';

/**
 * An order that a customer has placed.
 *
 * @param number also its id
 * @throws AppError NOT_FOUND, the same for an order of somebody else and for an unknown one
 */
export async function orderOf(ctx: Ctx, customerId: string, number: string): Promise<orders.Order> {
  try {
    const order = await orders.get(ctx, number);
    if (order.customerId === customerId && order.placedAt !== null) return order;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
  }
  throw fail('NOT_FOUND', `order ${number} does not exist`);
}

/** Sends the confirmation of an order once more. */
export const confirmAgain = (ctx: Ctx, order: orders.Order): Promise<void> =>
  ctx.tx(async (ctx) => {
    const held = await orders.lock(ctx, order.id);
    const noted = { type: 'email', data: { template: 'order_confirmation' } } as const;
    const { id } = await orders.note(ctx, held.id, noted);
    await mails.mailConfirmation(ctx, held, id);
  });
