import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { takeHeldMoney } from './held-money.ts';
import { Holding } from './schemas.ts';

type Order = orders.Order;

export const nameOf = ({ orderNumber, id }: Order): string => `order ${orderNumber ?? id}`;

/** Webhooks hear of placed orders only; the log of staff has the others. */
export async function told(ctx: Ctx, after: Order, before: Order, why?: string): Promise<Order> {
  if (after.placedAt === null) await orders.tellDraft(ctx, after, before);
  else await orders.tell(ctx, 'order.updated', after, before, why);
  return after;
}

/** Keeps an order from being shipped. @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION */
export async function hold(ctx: Ctx, idOrNumber: string, why: string): Promise<Order> {
  const doing = { action: 'hold', sent: { reason: why }, changes: () => ({ reason: Holding.shape.reason }) };
  const { reason = why } = ((await orders.beforeUpdate(ctx, idOrNumber, doing)) ?? {}) as { reason?: string };
  return ctx.tx(async (ctx) => {
    const before = await orders.lock(ctx, idOrNumber);
    const after = await orders.transition(
      ctx,
      before,
      'hold',
      { holdReason: reason },
      { body: reason, visibleToCustomer: false },
    );
    return told(ctx, after, before, reason);
  });
}

const UNPAID: readonly Order['paymentStatus'][] = ['unpaid', 'pending', 'failed', 'voided', 'partially_paid'];

/**
 * Lets an order on hold go on: to be shipped, or to be paid where nothing was paid or authorized. One that waited for a
 * review is approved: money that was held until then is taken first, and who delivers hears that it is paid.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, or PAYMENT_DECLINED when its money cannot be
 *   taken any more
 */
export async function release(ctx: Ctx, idOrNumber: string): Promise<Order> {
  await orders.beforeUpdate(ctx, idOrNumber, { action: 'release', sent: {} });
  if (!isRehearsal(ctx)) await takeHeldMoney(ctx, await orders.get(ctx, idOrNumber));
  const released = await ctx.tx(async (ctx) => {
    const before = await orders.lock(ctx, idOrNumber);
    const isReviewed = before.review === 'waiting';
    // An authorization may have lapsed since the status was last worked out.
    const paymentStatus = orders.paymentStatusOf(before, await payments.paymentsOf(ctx, before.id));
    const trigger = UNPAID.includes(paymentStatus) ? 'release_unpaid' : 'release';
    const review = isReviewed ? 'approved' : before.review;
    const changes = { holdReason: null, paymentStatus, review } as const;
    const after = await orders.transition(ctx, before, trigger, changes);
    if (isReviewed && after.paidAt !== null) await payments.tellPaid(ctx, after);
    return told(ctx, after, before);
  });
  return orders.completePaid(ctx, released);
}

/**
 * Completes an order by hand.
 *
 * @param isForced also while something is to be shipped or to be paid
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION
 */
export const complete = (ctx: Ctx, idOrNumber: string, isForced: boolean): Promise<Order> =>
  ctx.tx(async (ctx) => {
    const before = await orders.lock(ctx, idOrNumber);
    orders.requireAllowed(before, 'complete');
    const left = orders.leftToShip(await orders.itemsOf(ctx, before.id));
    const waits = left === 0 && before.status === 'processing' && before.fulfillmentStatus !== 'not_required';
    const hindered = [
      ...(waits ? ['a shipment has not left yet'] : []),
      ...(left > 0 ? [`${left} ${left === 1 ? 'unit is' : 'units are'} not shipped yet`] : []),
      ...(before.paidAt === null ? ['it is not fully paid'] : []),
    ];
    if (hindered.length > 0 && !isForced)
      throw fail(
        'VALIDATION_ERROR',
        `${nameOf(before)} is not finished: ${hindered.join(', and ')}. Send force to complete it anyway`,
        { details: { reason: 'INVALID_TRANSITION', from: before.status, trigger: 'complete' } },
      );
    const after = await orders.transition(
      ctx,
      before,
      'complete',
      { completedAt: ctx.now() },
      hindered.length > 0 ? { data: { force: true } } : {},
    );
    await orders.tell(ctx, 'order.completed', after, before);
    return after;
  });

/** Writes a note into the history of an order. @throws AppError NOT_FOUND */
export const addNote = (
  ctx: Ctx,
  idOrNumber: string,
  { body, visibleToCustomer }: { readonly body: string; readonly visibleToCustomer: boolean },
): Promise<orders.OrderEvent> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    const noted = await orders.note(ctx, order.id, { type: 'note', body, visibleToCustomer });
    await told(ctx, await orders.write(ctx, order, {}), order);
    return noted;
  });

/**
 * Demands of staff that they may refund. Who may change orders need not: an API key of the shop has no scope of its own
 * for it.
 *
 * @throws AppError INSUFFICIENT_SCOPE
 */
export function requireRefunder({ actor }: Ctx): void {
  if (actor.kind === 'api_key' || allows(actor, 'orders:refund')) return;
  throw fail('INSUFFICIENT_SCOPE', 'you can change orders but not refund them: that needs orders:refund');
}

/**
 * Cancels an order, or what is left to ship of one of which a part has left; money goes back only by who may refund.
 *
 * @throws AppError as `payments.cancel` and `payments.cancelRest`
 */
export async function cancel(ctx: Ctx, idOrNumber: string, how: payments.Cancel): Promise<Order> {
  if (how.refund !== 'none') requireRefunder(ctx);
  const { id, status } = await orders.get(ctx, idOrNumber);
  const hasLeft = (await orders.itemsOf(ctx, id)).some(({ fulfilledQuantity }) => fulfilledQuantity > 0);
  if (hasLeft && ['processing', 'on_hold'].includes(status)) return payments.cancelRest(ctx, id, how);
  return payments.cancel(ctx, idOrNumber, how);
}

/** Asks the processor what became of a payment. @throws AppError NOT_FOUND */
export async function syncPayment(ctx: Ctx, orderId: string, paymentId: string): Promise<payments.Payment> {
  const payment = await paymentIn(ctx, orderId, paymentId);
  const isOurs = payment.kind === 'gift_card' || payment.kind === 'offline';
  return isOurs ? payment : ((await payments.sync(ctx, payment))?.payment ?? payment);
}

async function paymentIn(ctx: Ctx, orderId: string, paymentId: string): Promise<payments.Payment> {
  const { id } = await orders.get(ctx, orderId);
  const payment = await payments.findPayment(ctx, paymentId);
  if (payment?.orderId === id) return payment;
  throw fail('NOT_FOUND', `payment ${paymentId} does not exist`);
}

/** Handles the report of a processor once more. @throws AppError NOT_FOUND */
export async function retryReport(ctx: Ctx, id: string): Promise<payments.ProcessorEvent> {
  const row = await payments.handle(ctx, id);
  if (row) return row;
  throw fail('NOT_FOUND', `payment event ${id} does not exist`);
}
