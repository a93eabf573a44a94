import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { issueCreditNote } from '../documents/index.ts';
import { reinstateOf } from '../gift-card-sales/index.ts';
import { mailRefund } from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import { processorOf, type RefundOutcome } from '../processors/index.ts';
import { restated } from './placing.ts';
import type { Payment, Refund } from './record.ts';
import { refundWay } from './refund-way.ts';
import * as repo from './repository.ts';

type Outcome = Pick<RefundOutcome, 'status' | 'refundId' | 'error'>;

/**
 * Asks the processor for a refund that is under way, outside of any transaction. What it answers is settled; an answer
 * that is lost leaves the refund under way, and `sync-payments` asks again.
 */
export async function sendRefund(ctx: Ctx, refundId: string): Promise<void> {
  const refund = await repo.findRefund(ctx, refundId);
  if (refund?.status !== 'pending' || refund.paymentId === null) return;
  const payment = (await repo.findPayment(ctx, refund.paymentId)) as Payment;
  const outcome = await asked(ctx, refund, payment);
  await ctx.tx((ctx) => settleRefund(ctx, refundId, outcome));
}

async function asked(ctx: Ctx, refund: Refund, payment: Payment): Promise<Outcome> {
  try {
    const connection = await processorOf(ctx, payment.processor).connect(ctx);
    return await connection.refund({
      paymentId: payment.id,
      transactionId: payment.transactionId ?? '',
      amountCents: refund.amountCents,
      currency: payment.currency,
      reason: refund.reason,
      key: keyOf(refund),
    });
  } catch (error) {
    const why = error instanceof AppError ? { reason: error.message } : { err: error };
    ctx.log.warn({ ...why, refund: refund.id }, 'a refund could not be sent');
    return { status: 'pending', refundId: null };
  }
}

/** The first attempt and each retry of staff are refunds of their own at the processor. */
export const keyOf = ({ id, attempts }: Refund): string => (attempts === 0 ? id : `${id}:${attempts}`);

/**
 * What became of a refund, once: money that went back is counted and told; what was refused is given back to the line, to
 * shipping and to the payment.
 */
export async function settleRefund(ctx: Ctx, refundId: string, outcome: Outcome): Promise<void> {
  const known = await repo.findRefund(ctx, refundId);
  if (!known) return;
  const order = (await orders.lockOrder(ctx, known.orderId)) as orders.Order;
  const before = (await repo.lockRefund(ctx, refundId)) as Refund;
  if (before.status !== 'pending') return;
  const after: Refund = {
    ...before,
    status: outcome.status,
    processorRefundId: outcome.refundId ?? before.processorRefundId,
    error: outcome.error?.slice(0, 1000) ?? null,
    updatedAt: ctx.now(),
  };
  await repo.updateRefund(ctx, after, 'pending');
  if (outcome.status === 'succeeded') await succeeded(ctx, order, after);
  else if (outcome.status === 'failed') await failed(ctx, order, after);
}

async function succeeded(ctx: Ctx, order: orders.Order, refund: Refund): Promise<void> {
  if (refund.to === 'gift_card') await issueCard(ctx, order, refund);
  else if (refund.paymentId !== null) await backToCard(ctx, order, refund, refund.paymentId);
  const payment = refund.paymentId === null ? null : await repo.findPayment(ctx, refund.paymentId);
  const way = refundWay(payment, refund.to);
  const items = await repo.refundItemsOf(ctx, [refund.id]);
  await restock(ctx, order, items);
  const refundedCents = order.refundedCents + refund.amountCents;
  const { paymentStatus } = await restated(ctx, { ...order, refundedCents });
  const after = await orders.write(ctx, order, { refundedCents, paymentStatus });
  await orders.note(ctx, order.id, {
    type: 'refund',
    data: {
      refund_id: refund.id,
      number: refund.refundNumber,
      amount_cents: refund.amountCents,
      currency: order.currency,
      status: 'succeeded',
      way,
    },
    visibleToCustomer: true,
  });
  const { id, returnId } = refund;
  await orders.orderEvents.tell(ctx, 'order.refunded', order.id, { refundId: id, returnId });
  if (order.placedAt !== null) await credited(ctx, order, after, { ...refund, items });
  if (refund.notify) await mailRefund(ctx, after, { ...refund, way });
  if (order.placedAt !== null) await orders.tell(ctx, 'order.updated', after, order, refund.reason);
}

/** Money beyond the total, of an order that was edited or paid twice, is in no invoice: the rest gets a credit note. */
async function credited(
  ctx: Ctx,
  before: orders.Order,
  after: orders.Order,
  refund: Parameters<typeof issueCreditNote>[2],
): Promise<void> {
  const amountCents = refund.amountCents - Math.max(0, -orders.settlement(before));
  if (amountCents <= 0) return;
  const isWhole = amountCents === refund.amountCents;
  const part = { amountCents, adjustmentCents: amountCents, shippingCents: 0, items: [] };
  await issueCreditNote(ctx, after, isWhole ? refund : { ...refund, ...part });
}

/** A gift card that paid gets its money back. */
async function backToCard(ctx: Ctx, order: orders.Order, refund: Refund, paymentId: string): Promise<void> {
  const { giftCardId } = (await repo.findPayment(ctx, paymentId)) as Payment;
  if (giftCardId === null) return;
  const { amountCents } = refund;
  await giftCards.refundTo(ctx, { giftCardId, orderId: order.id, refundId: refund.id, amountCents });
}

/** The shopper gets a new gift card in place of the money. */
async function issueCard(ctx: Ctx, order: orders.Order, refund: Refund): Promise<void> {
  await giftCards.issue(ctx, {
    amountCents: refund.amountCents,
    currency: order.currency,
    purchaserCustomerId: order.customerId,
    recipientEmail: order.email,
    note: `Refund ${refund.refundNumber} of order ${order.orderNumber}`,
    state: 'pending',
  });
}

async function restock(
  ctx: Ctx,
  order: orders.Order,
  items: Awaited<ReturnType<typeof repo.refundItemsOf>>,
): Promise<void> {
  const back = items.filter(({ restock, quantity }) => restock && quantity > 0);
  if (back.length === 0) return;
  const lines = new Map((await orders.itemsOf(ctx, order.id)).map((one) => [one.id, one]));
  const rows = back.flatMap(({ orderItemId, quantity }) => {
    const variantId = lines.get(orderItemId)?.variantId ?? null;
    return variantId === null ? [] : [{ variantId, quantity }];
  });
  await inventory.putBack(ctx, order.id, rows, 'return');
}

async function failed(ctx: Ctx, order: orders.Order, refund: Refund): Promise<void> {
  for (const { orderItemId, quantity, amountCents } of await repo.refundItemsOf(ctx, [refund.id]))
    await orders.takeRefundOfItem(ctx, orderItemId, -quantity, -amountCents);
  await reinstateOf(ctx, order.id, refund.id);
  if (refund.shippingCents > 0) await orders.takeRefundOfShipping(ctx, order.id, -refund.shippingCents);
  if (refund.paymentId !== null) await repo.takeRefund(ctx, refund.paymentId, -refund.amountCents);
  await orders.note(ctx, order.id, {
    type: 'refund',
    body: refund.error,
    data: { refund_id: refund.id, amount_cents: refund.amountCents, status: 'failed' },
  });
  const { id, returnId } = refund;
  await orders.orderEvents.tell(ctx, 'order.refund_failed', order.id, { refundId: id, returnId });
}
