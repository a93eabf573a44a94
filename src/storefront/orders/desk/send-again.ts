import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as mails from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import { findPayment, refundsOf, refundWay } from '../payments/index.ts';

type Order = orders.Order;

/** Emails of an order that can be sent once more, by their templates. */
export const AGAIN = [
  'order_confirmation',
  'payment_received',
  'shipment_notification',
  'refund_issued',
  'order_cancelled',
] as const;
type Again = (typeof AGAIN)[number];

const NOT_YET: Readonly<Record<Again, string>> = {
  order_confirmation: 'it was not placed',
  payment_received: 'it is not fully paid',
  shipment_notification: 'nothing was shipped',
  refund_issued: 'nothing was refunded',
  order_cancelled: 'it was not canceled',
};

/** Writes it anew, from the order as it is now. @returns undefined where there is nothing to say yet */
const senders: Readonly<
  Record<Again, (ctx: Ctx, order: Order, key: string) => Promise<string | null | undefined>>
> = {
  order_confirmation: mails.mailConfirmation,
  payment_received: async (ctx, order, key) =>
    order.paidAt === null ? undefined : mails.mailPaymentReceived(ctx, order, key),
  async shipment_notification(ctx, order, key) {
    const { parcels } = await orders.whole(ctx, order);
    const last = parcels.findLast(({ status }) => status !== 'pending');
    return last && mails.mailShipment(ctx, order, last, key);
  },
  async refund_issued(ctx, order, key) {
    const last = (await refundsOf(ctx, order.id)).findLast(({ status }) => status === 'succeeded');
    if (!last) return undefined;
    const payment = last.paymentId === null ? null : await findPayment(ctx, last.paymentId);
    return mails.mailRefund(ctx, order, { ...last, way: refundWay(payment, last.to) }, key);
  },
  order_cancelled: async (ctx, order, key) =>
    order.status === 'cancelled' ? mails.mailCancelled(ctx, order, key) : undefined,
};

/**
 * Sends an email about an order once more: of shipments and refunds the last one.
 *
 * @returns id of the email
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, for what has not happened
 */
export const sendAgain = (ctx: Ctx, idOrNumber: string, template: Again): Promise<string> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    const { id } = await orders.note(ctx, order.id, { type: 'email', data: { template } });
    const sent = order.placedAt === null ? undefined : await senders[template](ctx, order, id);
    if (typeof sent !== 'string')
      throw fail(
        'VALIDATION_ERROR',
        `order ${order.orderNumber ?? order.id} has no ${template.replaceAll('_', ' ')} email: ${NOT_YET[order.placedAt === null ? 'order_confirmation' : template]}`,
        { details: { reason: 'INVALID_TRANSITION', template } },
      );
    await orders.orderEvents.tell(ctx, 'order.emailed', order.id, { template });
    return sent;
  });
