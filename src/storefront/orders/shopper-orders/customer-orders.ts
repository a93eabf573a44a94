import { addSeconds } from '#kernel/clock.ts';
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

const TEMPLATE = 'order_confirmation';
/** So long nobody who only knows the number and the address of an order is mailed its link once more. */
const LINK_MINUTES = 10;

/** Sends the confirmation of an order once more. */
export const confirmAgain = (ctx: Ctx, order: orders.Order): Promise<void> => again(ctx, order, 0);

/**
 * Sends the link to an order once more, with its confirmation: what a guest may do with the order is behind it. Whoever
 * asks need not be who bought; the mail goes to the address of the order, every ten minutes at most.
 */
export const linkAgain = (ctx: Ctx, order: orders.Order): Promise<void> => again(ctx, order, LINK_MINUTES);

const again = (ctx: Ctx, order: orders.Order, restMinutes: number): Promise<void> =>
  ctx.tx(async (ctx) => {
    const held = await orders.lock(ctx, order.id);
    const since = addSeconds(ctx.now(), -restMinutes * 60);
    const isRecent = ({ type, data, createdAt }: orders.OrderEvent) =>
      type === 'email' && data.template === TEMPLATE && createdAt > since;
    if (restMinutes > 0 && (await orders.historyOf(ctx, held.id)).some(isRecent)) return;
    const noted = { type: 'email', data: { template: TEMPLATE } } as const;
    const { id } = await orders.note(ctx, held.id, noted);
    await mails.mailConfirmation(ctx, held, id);
  });
