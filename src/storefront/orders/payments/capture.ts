import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as orders from '../orders/index.ts';
import { processorOf } from '../processors/index.ts';
import { settleAndSend } from './charge.ts';
import { giveUp } from './giving-up.ts';
import type { Payment } from './record.ts';
import * as repo from './repository.ts';

/** A payment of an order that is authorised. @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION */
async function authorized(
  ctx: Ctx,
  idOrNumber: string,
  paymentId: string,
): Promise<Payment & { transactionId: string }> {
  const order = await orders.get(ctx, idOrNumber);
  const payment = await repo.findPayment(ctx, paymentId);
  if (payment?.orderId !== order.id) throw fail('NOT_FOUND', `payment ${paymentId} does not exist`);
  const { status, transactionId } = payment;
  if (status === 'authorized' && transactionId !== null && payment.kind !== 'gift_card')
    return { ...payment, transactionId };
  throw fail(
    'VALIDATION_ERROR',
    `the payment is ${status.replace('_', ' ')}; only an authorized one can be captured or voided`,
    {
      details: { reason: 'INVALID_TRANSITION', from: status },
    },
  );
}

/**
 * Takes money that was authorised, or a part of it; the rest is given back by the processor.
 *
 * @throws AppError as `authorized`; VALIDATION_ERROR for more than was authorised
 */
export async function capture(
  ctx: Ctx,
  idOrNumber: string,
  paymentId: string,
  amountCents?: number,
): Promise<Payment> {
  const payment = await authorized(ctx, idOrNumber, paymentId);
  const cents = amountCents ?? payment.authorizedCents;
  if (cents > payment.authorizedCents)
    throw invalidField('amount_cents', `must be at most ${payment.authorizedCents}, which was authorized`);
  const connection = await processorOf(ctx, payment.processor).connect(ctx);
  const outcome = await connection.capture({
    paymentId,
    transactionId: payment.transactionId,
    amountCents: cents,
    currency: payment.currency,
    key: `${paymentId}:capture`,
  });
  // A part is what was asked for here, so that it is no surprise.
  const asked = outcome.status === 'captured' && cents < payment.amountCents;
  if (asked) await ctx.tx((ctx) => repo.updatePayment(ctx, { ...payment, amountCents: cents }, 'authorized'));
  return (await settleAndSend(ctx, paymentId, outcome)).payment;
}

/** Gives up money that was authorised. @throws AppError as `authorized`; when the processor does not agree */
export async function voidPayment(ctx: Ctx, idOrNumber: string, paymentId: string): Promise<Payment> {
  const payment = await authorized(ctx, idOrNumber, paymentId);
  if (!(await giveUp(ctx, payment)))
    throw fail(
      'VALIDATION_ERROR',
      'the processor has not released the payment; try again, or check it there',
      {
        details: { reason: 'PAYMENT_IN_PROGRESS' },
      },
    );
  return (await repo.findPayment(ctx, paymentId)) as Payment;
}
