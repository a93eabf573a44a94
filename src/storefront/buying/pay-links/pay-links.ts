import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { fail } from '#kernel/service/errors.ts';
import * as tokens from '#platform/one-time-tokens/index.ts';
import { offlinePaymentDays } from '#storefront/contract/payment-settings.ts';
import { mailPaymentLink, PAY_ORDER } from '#storefront/orders/mails/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { activeProcessors, paymentUnavailable } from '#storefront/orders/processors/index.ts';
import { type Placed, payOrder, type RetryInput } from '../checkout/index.ts';

const LEAST_SECONDS = 3600;
const MARK = 16;

/** Where an order is paid, for whoever has the address. */
export interface PayLink {
  readonly url: string;
  /** ISO time. */
  readonly expiresAt: string;
}

/** Until when staff wait for the money of an order that they have asked for. */
export const payableUntil = (ctx: Ctx): string =>
  addSeconds(ctx.now(), ctx.settings.get(offlinePaymentDays) * SECONDS_PER_DAY);

/** @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION or PAYMENT_UNAVAILABLE */
function requirePayable(ctx: Ctx, order: orders.Order): void {
  const refused = refusalOf(order);
  if (refused !== null)
    throw fail('VALIDATION_ERROR', `order ${order.orderNumber ?? order.id} ${refused}`, {
      details: { reason: 'INVALID_TRANSITION', from: order.status },
    });
  if (activeProcessors(ctx).length > 0) return;
  throw paymentUnavailable(
    'No payment method is set up: choose a payment processor under Settings > Payment',
  );
}

function refusalOf(order: orders.Order): string | null {
  if (order.status === 'draft') return 'is a draft: place it with payment link';
  if (order.status === 'cancelled') return 'is canceled';
  if (order.placedAt === null && order.cartId !== null) return 'is still being paid at checkout';
  if (order.refundedCents > 0) return 'was refunded: a link cannot collect more';
  return orders.settlement(order) > 0 ? null : 'has nothing left to pay';
}

/**
 * Mails a link with which what is due of an order is paid; an earlier link of the order ends. Its text is stored as a hash
 * alone.
 *
 * @param email null: the address of the order
 * @returns the link: the answer that makes it is the only one that has it
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION or PAYMENT_UNAVAILABLE
 */
export const send = (ctx: Ctx, idOrNumber: string, email: string | null): Promise<PayLink> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    requirePayable(ctx, order);
    const { token, expiresAt } = await issued(ctx, order, secondsLeft(ctx, order), false);
    const link = { url: `${ctx.baseUrl}/shop/pay/${token}`, expiresAt };
    const to = email ?? order.email;
    await mailPaymentLink(ctx, order, { ...link, email: to, mark: sha256Hex(token).slice(0, MARK) });
    await orders.note(ctx, order.id, {
      type: 'email',
      body: 'A payment link was sent.',
      data: { template: 'payment_link', to, expires_at: expiresAt },
    });
    await orders.orderEvents.tell(ctx, 'order.payment_link_sent', order.id, { to, expiresAt });
    return link;
  });

const issued = (ctx: Ctx, { id }: orders.Order, seconds: number, keepsOthers: boolean) =>
  tokens.issue(ctx, { purpose: PAY_ORDER, subjectId: id, seconds, keepsOthers });

/** How long a link of an order lasts: as long as its money is waited for. */
function secondsLeft(ctx: Ctx, { dueAt }: orders.Order): number {
  const left = Date.parse(dueAt ?? payableUntil(ctx)) - Date.parse(ctx.now());
  return Math.max(LEAST_SECONDS, Math.floor(left / 1000));
}

/**
 * The token of a link for whoever looks at the order and wants to pay it now: it lasts for an hour, and one that was mailed
 * stays as it is.
 *
 * @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION or PAYMENT_UNAVAILABLE
 */
export async function forShopper(ctx: Ctx, order: orders.Order): Promise<string> {
  requirePayable(ctx, order);
  return (await issued(ctx, order, LEAST_SECONDS, true)).token;
}

/**
 * The order that a link is for; it may be paid already.
 *
 * @throws AppError NOT_FOUND, reason TOKEN_INVALID, for a link that is unknown, replaced or over
 */
export async function look(ctx: Ctx, token: string): Promise<orders.Order> {
  const found = await tokens.look(ctx, PAY_ORDER, token);
  const order = found && (await orders.findOrder(ctx, found.subjectId));
  if (order) return order;
  throw fail('NOT_FOUND', 'This payment link is no longer valid. Ask the shop for a new one', {
    details: { reason: 'TOKEN_INVALID' },
  });
}

/** Pays the order of a link. @throws AppError as `look` and `payOrder` */
export async function pay(ctx: Ctx, token: string, input: RetryInput): Promise<Placed> {
  const { id } = await look(ctx, token);
  const back = `${ctx.baseUrl}/shop/pay/${token}/return`;
  return payOrder(ctx, id, input, () => ({ returnUrl: back, cancelUrl: `${back}?cancelled=1` }));
}
