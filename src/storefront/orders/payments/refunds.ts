import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as sales from '../gift-card-sales/index.ts';
import * as orders from '../orders/index.ts';
import { isInUse, paymentUnavailable } from '../processors/index.ts';
import { newRefund } from './new-refund.ts';
import type { Payment, Refund } from './record.ts';
import {
  type ItemPart,
  inOrderOfRefund,
  itemPart,
  leftOf,
  type Slice,
  slices,
  withheld,
} from './refund-parts.ts';
import { sendRefund, settleRefund } from './refund-sending.ts';
import { refundWay } from './refund-way.ts';
import * as repo from './repository.ts';

/** What staff gives back. */
export interface RefundInput {
  readonly items?: readonly { readonly orderItemId: string; readonly quantity: number }[] | undefined;
  readonly shippingCents?: number | undefined;
  /** Beside lines and shipping, as good will. */
  readonly adjustmentCents?: number | undefined;
  /** Kept back of what the lines are worth, such as a restocking fee. */
  readonly withheldCents?: number | undefined;
  readonly to?: Refund['to'] | undefined;
  /** The goods came back with it. */
  readonly returnId?: string | undefined;
  readonly restock?: boolean | undefined;
  readonly reason: string;
  /** The customer is written to; so it is when absent. */
  readonly notify?: boolean | undefined;
  /** The same key for the same order is the same refund. */
  readonly key?: string | undefined;
}

const tooLarge = (message: string, details: object = {}) =>
  fail('VALIDATION_ERROR', message, { details: { reason: 'REFUND_TOO_LARGE', ...details } });

/**
 * Gives money back. The amounts are taken by conditional UPDATEs in one transaction, so that a second refund sees them; the
 * processor is asked after the commit, and what it refuses is given back (storefront-domain 6.3).
 *
 * @returns one refund for each payment that money goes back to
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason REFUND_TOO_LARGE beyond what is left of a line, of shipping or of
 *   the payments
 */
export async function refund(ctx: Ctx, idOrNumber: string, input: RefundInput): Promise<Refund[]> {
  const key = input.key ?? ctx.newId(ids.refund);
  const { refunds, isNew } = await ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    const had = (await repo.refundsOf(ctx, order.id)).filter(({ idempotencyKey }) =>
      idempotencyKey.startsWith(`${key}:`),
    );
    if (had.length > 0) return { refunds: had, isNew: false };
    return { refunds: await reserve(ctx, order, input, key), isNew: true };
  });
  if (isNew) for (const { id } of refunds) await sendRefund(ctx, id);
  return Promise.all(refunds.map(async ({ id }) => (await repo.findRefund(ctx, id)) as Refund));
}

/** What goes back of the lines that are named. @throws AppError NOT_FOUND for a line of another order */
async function partsOf(ctx: Ctx, order: orders.Order, input: RefundInput): Promise<ItemPart[]> {
  const items = new Map((await orders.itemsOf(ctx, order.id)).map((one) => [one.id, one]));
  const seen = new Set<string>();
  return (input.items ?? []).map(({ orderItemId, quantity }, at) => {
    const item = items.get(orderItemId);
    if (!item) throw fail('NOT_FOUND', `order ${order.orderNumber} has no item ${orderItemId}`);
    if (seen.has(orderItemId)) throw invalidField(`items.${at}.order_item_id`, 'is listed twice');
    seen.add(orderItemId);
    const left = item.quantity - item.refundedQuantity;
    if (quantity > left)
      throw tooLarge(`only ${left} of ${item.sku} can still be refunded, ${quantity} were requested`, {
        order_item_id: orderItemId,
        refundable_quantity: left,
      });
    return itemPart(item, quantity);
  });
}

/**
 * What a refund would give back, what could be given back before it, and what of it staff have to pay back themselves;
 * nothing is written.
 *
 * @throws AppError as `refund`
 */
export async function previewRefund(
  ctx: Ctx,
  order: orders.Order,
  input: RefundInput,
): Promise<{ amountCents: number; leftCents: number; byHandCents: number }> {
  const { total, left, cut } = await judged(ctx, order, input);
  const byHand = cut.filter(({ payment }) => refundWay(payment, input.to ?? 'original') === 'by_hand');
  return {
    amountCents: total,
    leftCents: left,
    byHandCents: byHand.reduce((sum, { amountCents }) => sum + amountCents, 0),
  };
}

/** What goes back, judged against what is left of the payments. */
async function judged(ctx: Ctx, order: orders.Order, input: RefundInput) {
  const parts = withheld(await partsOf(ctx, order, input), input.withheldCents ?? 0);
  await sales.requireUnused(ctx, await orders.itemsOf(ctx, order.id), parts);
  const { shippingCents = 0, adjustmentCents = 0 } = input;
  const total = parts.reduce((sum, one) => sum + one.amountCents, 0) + shippingCents + adjustmentCents;
  if (total === 0)
    throw invalidField('items', 'choose what to refund: items, shipping_cents or adjustment_cents');
  const payments = inOrderOfRefund(await repo.paymentsOf(ctx, order.id));
  const left = payments.reduce((sum, one) => sum + leftOf(one), 0);
  const money = (amountCents: number) => moneyWords({ amountCents, currency: order.currency }, 'en');
  if (total > left)
    throw tooLarge(
      `${money(total)} were requested, and ${money(left)} of the payments can still be refunded`,
      {
        refundable_cents: left,
      },
    );
  const cut = slices(payments, { items: parts, shippingCents, adjustmentCents });
  for (const { payment } of cut) requireProcessor(ctx, payment, input.to ?? 'original');
  return { parts, cut, total, left, shippingCents, money };
}

/** Money that nobody could be asked for would be on its way for ever. */
function requireProcessor(ctx: Ctx, payment: Payment, to: Refund['to']): void {
  const { processor } = payment;
  if (isDoneHere(payment, to) || isInUse(ctx, processor)) return;
  throw paymentUnavailable(
    `the payment was taken by ${processor}, which works in development mode only: set APPCTL_MODE=development, or refund it by hand or by gift card`,
  );
}

/**
 * The part of a refund that runs in the transaction of who calls, which has locked the order: what goes back is taken, and
 * `sendRefund` asks the processor after the commit.
 *
 * @param key the caller makes sure that it is used once
 * @throws AppError as `refund`
 */
export async function reserve(
  ctx: Ctx,
  order: orders.Order,
  input: RefundInput,
  key: string,
): Promise<Refund[]> {
  if (order.placedAt === null)
    throw fail('VALIDATION_ERROR', 'nothing was paid for this order: cancel it instead', {
      details: { reason: 'INVALID_TRANSITION' },
    });
  const { parts, cut, shippingCents, money } = await judged(ctx, order, input);
  for (const { orderItemId, quantity, amountCents } of parts)
    if (!(await orders.takeRefundOfItem(ctx, orderItemId, quantity, amountCents)))
      throw tooLarge(`this quantity of the item ${orderItemId} can no longer be refunded`);
  if (shippingCents > 0 && !(await orders.takeRefundOfShipping(ctx, order.id, shippingCents)))
    throw tooLarge(
      `${money(shippingCents)} of shipping cannot be refunded: it is more than the remaining amount`,
    );
  const made: Refund[] = [];
  for (const [at, slice] of cut.entries())
    made.push(await write(ctx, order, slice, input, `${key}:${at + 1}`));
  return made;
}

async function write(
  ctx: Ctx,
  order: orders.Order,
  { payment, items, amountCents, shippingCents, adjustmentCents }: Slice,
  { to = 'original', reason, restock = false, notify = true, returnId }: RefundInput,
  idempotencyKey: string,
): Promise<Refund> {
  if (!(await repo.takeRefund(ctx, payment.id, amountCents)))
    throw tooLarge('the payment was refunded in the meantime; review the order and try again');
  const one = await newRefund(ctx, {
    orderId: order.id,
    paymentId: payment.id,
    returnId: returnId ?? null,
    amountCents,
    itemsCents: items.reduce((sum, { amountCents }) => sum + amountCents, 0),
    shippingCents,
    adjustmentCents,
    taxCents: items.reduce((sum, { taxCents }) => sum + taxCents, 0),
    to,
    reason,
    notify,
    idempotencyKey,
  });
  await repo.insertRefund(ctx, one);
  await repo.insertRefundItems(
    ctx,
    items.map((item) => ({
      id: ctx.newId(ids.refundItem),
      refundId: one.id,
      ...item,
      restock,
      createdAt: one.createdAt,
    })),
  );
  await sales.withdrawFor(ctx, order.id, one.id, items);
  if (isDoneHere(payment, to)) await settleRefund(ctx, one.id, { status: 'succeeded', refundId: null });
  return one;
}

/** Nobody outside has to be asked: cash, a transfer that staff make, a gift card. */
export const isDoneHere = ({ kind }: Pick<Payment, 'kind'>, to: Refund['to']): boolean =>
  to !== 'original' || kind === 'offline' || kind === 'gift_card';

/** What can still be refunded of an order. */
export async function refundable(ctx: Ctx, order: orders.Order) {
  const items = await orders.itemsOf(ctx, order.id);
  const payments = inOrderOfRefund(await repo.paymentsOf(ctx, order.id));
  const shipping =
    order.shippingCents -
    order.shippingDiscountCents +
    (order.pricesIncludeTax ? 0 : order.shippingTaxCents) -
    order.shippingRefundedCents;
  return {
    items: items.map((item) => ({
      item,
      quantity: item.quantity - item.refundedQuantity,
      amountCents: item.totalCents - item.refundedCents,
    })),
    shippingCents: Math.max(0, shipping),
    totalCents: payments.reduce((sum, one) => sum + leftOf(one), 0),
    payments: payments.map((payment) => ({ payment, amountCents: leftOf(payment) })),
  };
}
