import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { activeProcessorOf } from '#storefront/orders/processors/index.ts';
import type * as carts from '../cart/index.ts';
import { ownOrder } from './own-order.ts';
import { placeOrder } from './place.ts';
import { giveUpWaiting } from './replay.ts';
import type { Placed, WaysOf } from './types.ts';

/** Another try to pay an order. */
export interface RetryInput {
  readonly processor: string;
  readonly sourceId: string | null;
  readonly expectedTotalCents?: number | undefined;
}

/**
 * Pays an order whose payment was refused. While it was not placed that is the checkout of its cart again; one that waits
 * for its money is paid as it stands.
 *
 * @throws AppError as `placeOrder`; NOT_FOUND for somebody else's order
 */
export async function retry(
  ctx: Ctx,
  owner: carts.Owner,
  number: string,
  input: RetryInput,
  ways: WaysOf,
): Promise<Placed> {
  const order = await ownOrder(ctx, owner, number);
  if (order.placedAt === null && order.cartId !== null)
    return placeOrder(ctx, owner, { ...input, termsAccepted: true, cartId: order.cartId }, ways);
  return payOrder(ctx, order.id, input, ways);
}

/**
 * Pays what is due of an order that was placed, or that staff wrote and asked for its money. The offline processor places
 * the latter, to be paid later.
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION when nothing is due, TOTAL_CHANGED, PAYMENT_UNAVAILABLE or
 *   PAYMENT_IN_PROGRESS; RATE_LIMITED, reason TOO_MANY_ATTEMPTS
 */
export async function payOrder(ctx: Ctx, orderId: string, input: RetryInput, ways: WaysOf): Promise<Placed> {
  const { kind } = activeProcessorOf(ctx, input.processor);
  await giveUpOther(ctx, orderId, input);
  const { order, payment, isReplay } = await payments.countingRefusals(ctx, () =>
    begun(ctx, orderId, input, kind),
  );
  if (isReplay || !payment) return { order, payment, isReplay };
  const settled = await payments.charge(ctx, payment, order, input, ways(order));
  return { ...settled, isReplay: false };
}

/** Begins the payment, or finds the one that is open. */
function begun(ctx: Ctx, orderId: string, input: RetryInput, kind: string): Promise<Placed> {
  return ctx.tx(async (ctx) => {
    const order = await chosen(ctx, await orders.lock(ctx, orderId), input.processor);
    const due = orders.settlement(order);
    if (order.status === 'cancelled' || order.status === 'draft' || due <= 0)
      throw fail('VALIDATION_ERROR', 'Nothing is due for this order', {
        details: { reason: 'INVALID_TRANSITION' },
      });
    requireTotal(order, input.expectedTotalCents);
    const open = (await payments.paymentsOf(ctx, order.id)).find(({ status }) =>
      payments.OPEN_STATES.includes(status),
    );
    if (open) return { order, payment: open, isReplay: true };
    if (kind === 'offline')
      return {
        order: order.placedAt === null ? await payments.place(ctx, order, 'place_unpaid') : order,
        payment: null,
        isReplay: order.placedAt !== null,
      };
    return { ...(await payments.begin(ctx, order, input, due)), isReplay: false };
  });
}

/** The order is paid as its buyer has chosen last. */
const chosen = async (ctx: Ctx, order: orders.Order, processor: string): Promise<orders.Order> =>
  order.processor === processor ? order : orders.write(ctx, order, { processor });

/** A payment that waits for its buyer ends when they choose another way to pay (storefront-domain 8, Replay). */
async function giveUpOther(ctx: Ctx, orderId: string, input: RetryInput): Promise<void> {
  const open = (await payments.paymentsOf(ctx, orderId)).find(({ status }) => status === 'requires_action');
  if (open && open.sourceHash !== payments.hashOf(input)) await giveUpWaiting(ctx, open);
}

/** A refused payment is a refusal of the request: its order waits to be paid again. @throws AppError VALIDATION_ERROR */
export function requireAccepted({ payment, order }: Placed): void {
  if (payment?.status !== 'failed') return;
  throw fail(
    'VALIDATION_ERROR',
    payment.errorMessage ?? 'The payment was declined. Try another payment method',
    {
      details: {
        reason: 'PAYMENT_DECLINED',
        order_number: order.orderNumber,
        payment_id: payment.id,
        error_code: payment.errorCode,
      },
    },
  );
}

function requireTotal({ totalCents }: orders.Order, expected: number | undefined): void {
  if (expected === undefined || expected === totalCents) return;
  throw fail('VALIDATION_ERROR', 'The total has changed. Review it and pay again', {
    details: { reason: 'TOTAL_CHANGED', totals: { total_cents: totalCents } },
  });
}
