import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { fail } from '#kernel/service/errors.ts';
import { paymentCaptureMode } from '#storefront/contract/payment-settings.ts';
import * as orders from '../orders/index.ts';
import { type Outcome, processorOf } from '../processors/index.ts';
import { assessBefore, needsReview, takeTry } from '../risk/index.ts';
import { newPayment } from './gift-cards.ts';
import { giveUp } from './giving-up.ts';
import type { Payment } from './record.ts';
import { sendRefund } from './refund-sending.ts';
import * as repo from './repository.ts';
import { type Settlement, settle, unknownOf } from './settle.ts';

/** With what a shopper pays. */
export interface Source {
  readonly processor: string;
  /** What the processor's script made of the card; null to pay on the processor's own page. */
  readonly sourceId: string | null;
}

/** Recognises a request that was sent again. */
export const hashOf = ({ processor, sourceId }: Source): string =>
  sha256Hex(`${processor}\n${sourceId ?? ''}`);

/** A payment that begins, and its order as it is then. */
export interface Begun {
  readonly order: orders.Order;
  readonly payment: Payment;
}

/**
 * Writes that a payment begins, as the last step of the transaction that reserves what it pays for. The database lets one
 * of an order be open at a time (P4). Run that transaction in `countingRefusals`.
 *
 * @param amountCents what is due
 * @throws AppError RATE_LIMITED, reason TOO_MANY_ATTEMPTS, when whoever orders has tried too often (decision 0075)
 */
export async function begin(
  ctx: Ctx,
  order: orders.Order,
  source: Source,
  amountCents: number,
): Promise<Begun> {
  const { kind } = processorOf(ctx, source.processor);
  const payment = newPayment(ctx, {
    orderId: order.id,
    processor: source.processor,
    kind,
    amountCents,
    currency: order.currency,
    sourceHash: hashOf(source),
  });
  await repo.insertPayment(ctx, payment);
  const tally = await takeTry(ctx, { email: order.email, ip: ctx.origin.ip });
  const risk = await assessBefore(ctx, order, tally);
  return { payment, order: risk === null ? order : await orders.write(ctx, order, { risk }) };
}

/** Where a shopper comes back to. */
export interface Ways {
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/**
 * Asks the processor for the money of a payment that was begun, outside of any transaction, and settles what it answers.
 * An answer that never comes is no refusal: the payment stays open, and `sync-payments` asks what became of it.
 */
export async function charge(
  ctx: Ctx,
  payment: Payment,
  order: orders.Order,
  { sourceId }: Source,
  ways: Ways,
): Promise<Settlement> {
  const outcome = await paid(ctx, payment, order, sourceId, ways);
  return settleAndSend(ctx, payment.id, outcome);
}

/** As `settle`; money that goes back is sent at once, and what is held for an order that has ended is given up. */
export async function settleAndSend(ctx: Ctx, paymentId: string, outcome: Outcome): Promise<Settlement> {
  const settled = await settle(ctx, paymentId, outcome);
  if (settled.order.status === 'cancelled' && settled.payment.status === 'authorized')
    await giveUp(ctx, settled.payment);
  for (const { id, status } of await repo.refundsOf(ctx, settled.order.id))
    if (status === 'pending') await sendRefund(ctx, id);
  return settled;
}

async function paid(
  ctx: Ctx,
  payment: Payment,
  order: orders.Order,
  sourceId: string | null,
  ways: Ways,
): Promise<Outcome> {
  const { billing } = await orders.whole(ctx, order);
  try {
    const connection = await processorOf(ctx, payment.processor).connect(ctx);
    return await connection.pay({
      paymentId: payment.id,
      orderId: order.id,
      orderNumber: order.orderNumber ?? order.id,
      sourceId,
      amountCents: payment.amountCents,
      currency: payment.currency,
      // Of an order that staff look at first the money is only held.
      capture: ctx.settings.get(paymentCaptureMode) === 'automatic' && !needsReview(ctx, order.risk),
      email: order.email,
      ...ways,
      ...(billing && {
        billing: {
          name: [billing.firstName, billing.lastName].filter((one) => one).join(' '),
          line1: billing.line1,
          line2: billing.line2,
          city: billing.city,
          state: billing.state,
          postalCode: billing.postalCode,
          country: billing.country,
        },
      }),
      description: `Order ${order.orderNumber ?? order.id}`,
    });
  } catch (error) {
    ctx.log.warn({ err: error, payment: payment.id }, 'a payment could not be sent');
    return unknownOf(payment);
  }
}

/**
 * Goes on with a payment after the browser came back, or proved who its user is. What the browser says decides nothing:
 * the processor is asked.
 *
 * @throws AppError NOT_FOUND for a payment of another order
 */
export async function confirm(ctx: Ctx, orderId: string, paymentId: string): Promise<Settlement> {
  const payment = await repo.findPayment(ctx, paymentId);
  if (payment?.orderId !== orderId) throw fail('NOT_FOUND', `payment ${paymentId} does not exist`);
  const order = (await orders.findOrder(ctx, orderId)) as orders.Order;
  if (payment.transactionId === null || !['requires_action', 'pending'].includes(payment.status))
    return { order, payment, isKnown: true };
  const connection = await processorOf(ctx, payment.processor).connect(ctx);
  const outcome = await connection.confirm({ paymentId, transactionId: payment.transactionId });
  return settleAndSend(ctx, paymentId, outcome);
}

/** Asks the processor what became of a payment, and settles it. */
export async function sync(ctx: Ctx, payment: Payment): Promise<Settlement | null> {
  const { id: paymentId, transactionId, createdAt } = payment;
  const connection = await processorOf(ctx, payment.processor).connect(ctx);
  const found = await connection.lookup({ paymentId, transactionId, createdAt });
  if (found === 'unknown') return null;
  const agreed = found.nextAction?.kind === 'confirm' ? found.transactionId : null;
  // The buyer agreed on the processor's page and did not come back: the money is taken without them.
  const outcome = agreed === null ? found : await connection.confirm({ paymentId, transactionId: agreed });
  return settleAndSend(ctx, paymentId, outcome);
}
