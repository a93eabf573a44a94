import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as orders from '../orders/index.ts';
import { processorOf } from '../processors/index.ts';
import { cancelOverdue } from './cancel.ts';
import { settleAndSend, sync } from './charge.ts';
import { endUnplaced } from './ending.ts';
import { giveUp } from './giving-up.ts';
import { restated } from './placing.ts';
import { OPEN_STATES, type Payment, type Refund } from './record.ts';
import { keyOf, sendRefund, settleRefund } from './refund-sending.ts';
import * as repo from './repository.ts';
import { unknownOf } from './settle.ts';

/** A processor answers within 30 s, or not at all: what is younger may still be on its way. */
const QUIET_SECONDS = 120;
/** After so long a payment that its processor has never seen was never charged. */
const NEVER_SENT_SECONDS = 900;
const AT_ONCE = 100;

/**
 * Asks processors what became of payments and refunds whose answer was lost, and gives up what is still held for orders
 * that were cancelled (storefront-domain 11).
 */
export async function syncPayments(
  ctx: Ctx,
): Promise<{ payments: number; refunds: number; lapsed: number; voided: number }> {
  const before = addSeconds(ctx.now(), -QUIET_SECONDS);
  let [payments, refunds, lapsed, voided] = [0, 0, 0, 0];
  for (const id of await repo.listQuiet(ctx, before, AT_ONCE)) payments += await each(ctx, id, syncPayment);
  for (const id of await repo.listQuietRefunds(ctx, before, AT_ONCE))
    refunds += await each(ctx, id, syncRefund);
  for (const id of await repo.listLapsed(ctx, ctx.now(), AT_ONCE)) lapsed += await each(ctx, id, lapse);
  for (const id of await repo.listHeldForNothing(ctx, before, AT_ONCE))
    await each(ctx, id, async (ctx) => {
      voided += Number(await voidForNothing(ctx, id));
    });
  return { payments, refunds, lapsed, voided };
}

/** What one of them fails at does not keep the others. */
async function each(ctx: Ctx, id: string, work: (ctx: Ctx, id: string) => Promise<unknown>): Promise<number> {
  try {
    await work(ctx, id);
    return 1;
  } catch (error) {
    ctx.log.warn(
      { err: error, subject: id },
      'a payment, a refund or an order could not be brought up to date',
    );
    return 0;
  }
}

async function syncPayment(ctx: Ctx, id: string): Promise<void> {
  const payment = await repo.findPayment(ctx, id);
  if (!payment || !OPEN_STATES.includes(payment.status)) return;
  const found = await sync(ctx, payment);
  if (found && !found.isKnown) return;
  const isOld = payment.createdAt <= addSeconds(ctx.now(), -NEVER_SENT_SECONDS);
  if (found === null && isOld)
    await settleAndSend(ctx, id, { ...unknownOf(payment), status: 'declined', errorCode: 'never_charged' });
  else await ctx.tx((ctx) => repo.touchPayment(ctx, id));
}

async function syncRefund(ctx: Ctx, id: string): Promise<void> {
  const refund = await repo.findRefund(ctx, id);
  if (refund?.status !== 'pending' || refund.paymentId === null) return;
  const payment = (await repo.findPayment(ctx, refund.paymentId)) as Payment;
  const found = await askedFor(ctx, refund, payment);
  // It has never heard of it: the same request again is the same refund.
  if (found === 'unknown') await sendRefund(ctx, id);
  else await ctx.tx((ctx) => settleRefund(ctx, id, found));
}

async function askedFor(ctx: Ctx, refund: Refund, payment: Payment) {
  const connection = await processorOf(ctx, payment.processor).connect(ctx);
  return connection.lookupRefund({
    paymentId: payment.id,
    transactionId: payment.transactionId ?? '',
    amountCents: refund.amountCents,
    currency: payment.currency,
    key: keyOf(refund),
    refundId: refund.processorRefundId,
    createdAt: refund.createdAt,
  });
}

/** Its order was cancelled while the processor did not answer. */
async function voidForNothing(ctx: Ctx, id: string): Promise<boolean> {
  const payment = await repo.findPayment(ctx, id);
  if (payment?.status !== 'authorized') return false;
  if (await giveUp(ctx, payment)) return true;
  await ctx.tx((ctx) => repo.touchPayment(ctx, id));
  return false;
}

/** The time in which an authorised amount could be captured is over: staff decide what becomes of the order. */
async function lapse(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const known = (await repo.findPayment(ctx, id)) as Payment;
    const order = (await orders.lockOrder(ctx, known.orderId)) as orders.Order;
    const before = (await repo.lockPayment(ctx, id)) as Payment;
    if (before.status !== 'authorized') return;
    await repo.updatePayment(ctx, { ...before, status: 'expired', updatedAt: ctx.now() }, 'authorized');
    const noted = {
      type: 'payment',
      body: 'The payment authorization has expired. Ask the customer to pay again, or cancel the order.',
      data: { payment_id: id, status: 'expired' },
    } as const;
    const { paymentStatus } = await restated(ctx, order);
    const after =
      order.status === 'processing'
        ? await orders.transition(
            ctx,
            order,
            'hold',
            { holdReason: 'authorization_expired', paymentStatus },
            noted,
          )
        : await orders.write(ctx, order, { paymentStatus });
    if (order.status !== 'processing') await orders.note(ctx, order.id, noted);
    if (order.placedAt !== null) await orders.tell(ctx, 'order.updated', after, order);
  });
}

/**
 * Ends orders that were not placed in their time, and gives back what they hold. One whose payment is still open waits:
 * `sync-payments` asks first (storefront-domain 9).
 */
export async function expireUnplaced(ctx: Ctx): Promise<{ expired: number }> {
  let expired = 0;
  for (const id of await orders.listUnplaced(ctx, ctx.now())) {
    const open = (await repo.paymentsOf(ctx, id)).find(({ status }) => OPEN_STATES.includes(status));
    if (open?.status === 'requires_action') await each(ctx, open.id, abandon);
    expired += Number(await ctx.tx((ctx) => expireOne(ctx, id)));
  }
  return { expired };
}

/** Cancels orders that were placed to be paid later and were not paid in their time. */
export async function expireUnpaid(ctx: Ctx): Promise<{ cancelled: number }> {
  let cancelled = 0;
  const end = async (ctx: Ctx, id: string) => {
    cancelled += Number(await cancelOverdue(ctx, id));
  };
  for (const id of await orders.listUnpaid(ctx, ctx.now())) await each(ctx, id, end);
  return { cancelled };
}

/** Nobody came back: the processor gives the payment up, and tells if money was taken after all. */
async function abandon(ctx: Ctx, paymentId: string): Promise<void> {
  const payment = (await repo.findPayment(ctx, paymentId)) as Payment;
  const connection = await processorOf(ctx, payment.processor).connect(ctx);
  const { transactionId } = payment;
  const gone =
    transactionId === null
      ? null
      : await connection.void({ paymentId, transactionId, key: `${paymentId}:void` });
  if (gone?.status === 'succeeded')
    await settleAndSend(ctx, paymentId, { ...unknownOf(payment), status: 'voided', errorCode: 'abandoned' });
  else await sync(ctx, payment);
}

async function expireOne(ctx: Ctx, id: string): Promise<boolean> {
  const seen = await orders.findOrder(ctx, id);
  if (seen?.cartId) await repo.holdCart(ctx, seen.cartId);
  const order = await orders.lockOrder(ctx, id);
  if (order?.status !== 'pending' || order.placedAt !== null) return false;
  if ((await repo.paymentsOf(ctx, id)).some(({ status }) => OPEN_STATES.includes(status))) return false;
  await endUnplaced(ctx, order, 'payment_expired');
  return true;
}
