import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import { countOrder } from '#storefront/people/customers/index.ts';
import { mailPaymentReceived } from '../mails/index.ts';
import * as orders from '../orders/index.ts';
import type { Outcome } from '../processors/index.ts';
import { assess, countDecline } from '../risk/index.ts';
import { endUnplaced } from './ending.ts';
import { place, restated } from './placing.ts';
import { OPEN_STATES, type Payment } from './record.ts';
import { refundWhole } from './refund-whole.ts';
import * as repo from './repository.ts';
import { heldForReview, tellPaid } from './reviewing.ts';

type Order = orders.Order;

/** A payment with its order, as they are after something was heard of it. */
export interface Settlement {
  readonly order: Order;
  readonly payment: Payment;
  /** Nothing had to be done: it was known already. */
  readonly isKnown: boolean;
}

/**
 * Does what the outcome of a payment means for its order: the one way for the answer to the request that charged it, the
 * return of the browser, the report of the processor, the job that asks, and staff (storefront-domain 8.7). However often
 * and in whatever order these come, an order is placed once, and money that it does not need goes back.
 *
 * @throws AppError NOT_FOUND for an unknown payment
 */
export async function settle(ctx: Ctx, paymentId: string, outcome: Outcome): Promise<Settlement> {
  const settled = await settleOnce(ctx, paymentId, outcome);
  return { ...settled, order: await orders.completePaid(ctx, settled.order) };
}

async function settleOnce(ctx: Ctx, paymentId: string, outcome: Outcome): Promise<Settlement> {
  try {
    return await ctx.tx((ctx) => settleIn(ctx, paymentId, outcome, place));
  } catch (error) {
    if (!isOutOfStock(error)) throw error;
    // The hold was over when the money came, and the goods are gone: the order ends, and the money goes back.
    return ctx.tx((ctx) => settleIn(ctx, paymentId, outcome, loseStock));
  }
}

const isOutOfStock = (error: unknown): boolean =>
  error instanceof AppError && error.details.reason === 'OUT_OF_STOCK';

type Placing = (ctx: Ctx, order: Order, trigger: 'accept', changes: Partial<Order>) => Promise<Order>;

const loseStock: Placing = (ctx, order, _trigger, changes) => endUnplaced(ctx, order, 'stock_lost', changes);

async function settleIn(
  ctx: Ctx,
  paymentId: string,
  outcome: Outcome,
  placing: Placing,
): Promise<Settlement> {
  const known = await repo.findPayment(ctx, paymentId);
  if (!known) throw fail('NOT_FOUND', `payment ${paymentId} does not exist`);
  const seen = await orders.findOrder(ctx, known.orderId);
  if (seen?.cartId) await repo.holdCart(ctx, seen.cartId);
  const order = (await orders.lockOrder(ctx, known.orderId)) as Order;
  const before = (await repo.lockPayment(ctx, paymentId)) as Payment;
  switch (outcome.status) {
    case 'captured':
    case 'authorized':
      return succeed(ctx, order, before, outcome, placing);
    case 'declined':
    case 'voided':
      return giveUp(ctx, order, before, outcome);
    default:
      return wait(ctx, order, before, outcome);
  }
}

/** Of a payment of which nothing was heard. */
export const unknownOf = (payment: Payment): Outcome => ({
  status: 'pending',
  transactionId: payment.transactionId,
  amountCents: payment.amountCents,
  currency: payment.currency,
  methodLabel: payment.methodLabel ?? '',
  fingerprint: null,
  country: null,
  raw: {},
});

/** What the processor told of the payment, beside its state. */
const told = (before: Payment, outcome: Outcome): Partial<Payment> => ({
  transactionId: outcome.transactionId ?? before.transactionId,
  methodLabel: outcome.methodLabel.slice(0, 100) || before.methodLabel,
  fingerprint: outcome.fingerprint ?? before.fingerprint,
  country: outcome.country ?? before.country,
  raw: outcome.raw,
});

async function store(ctx: Ctx, before: Payment, changes: Partial<Payment>): Promise<Payment> {
  const after = { ...before, ...changes, updatedAt: ctx.now() };
  await repo.updatePayment(ctx, after, before.status);
  return after;
}

const isOpen = ({ status }: Payment): boolean => OPEN_STATES.includes(status);

/** Money was taken, or is held. Also of a payment that was given up here: what was taken counts. */
async function succeed(
  ctx: Ctx,
  order: Order,
  before: Payment,
  outcome: Outcome,
  placing: Placing,
): Promise<Settlement> {
  const isCaptured = outcome.status === 'captured';
  if (before.status === 'captured' || (before.status === 'authorized' && !isCaptured))
    return { order, payment: before, isKnown: true };
  const payment = await store(ctx, before, {
    ...told(before, outcome),
    status: isCaptured ? 'captured' : 'authorized',
    ...(isCaptured ? { capturedCents: outcome.amountCents } : { authorizedCents: outcome.amountCents }),
    currency: outcome.currency,
    nextAction: null,
    errorCode: null,
    errorMessage: null,
    expiresAt: isCaptured ? null : (outcome.authorizationExpiresAt ?? null),
  });
  await orders.note(ctx, order.id, {
    type: 'payment',
    data: {
      payment_id: payment.id,
      status: payment.status,
      amount_cents: outcome.amountCents,
      currency: outcome.currency,
    },
    visibleToCustomer: true,
  });
  if (outcome.amountCents !== before.amountCents || outcome.currency !== before.currency)
    return mismatched(ctx, order, payment, before);
  return { payment, order: await applied(ctx, order, payment, before, placing), isKnown: false };
}

/** What an accepted payment does to its order. */
async function applied(
  ctx: Ctx,
  order: Order,
  payment: Payment,
  before: Payment,
  placing: Placing,
): Promise<Order> {
  const money = await restated(ctx, order);
  if (order.status === 'cancelled' || isPaidOtherwise(order, before)) {
    const kept = await orders.write(ctx, order, amountsOf(money));
    await orders.orderEvents.tell(ctx, 'order.money', kept.id, {});
    if (payment.status === 'captured') await refundWhole(ctx, kept, payment, 'duplicate_payment');
    return kept;
  }
  const risk = before.status === 'authorized' ? order.risk : await assess(ctx, order, payment);
  if (order.placedAt === null) {
    const placed = await placing(ctx, order, 'accept', { ...amountsOf(money), risk });
    if (placed.status === 'cancelled' && payment.status === 'captured')
      await refundWhole(ctx, placed, payment, 'stock_lost');
    return placed;
  }
  return paid(ctx, order, { ...money, risk }, heldForReview);
}

const amountsOf = ({ paidCents, giftCardCents, paymentStatus }: Order) => ({
  paidCents,
  giftCardCents,
  paymentStatus,
});

/** Another payment has paid it already. A payment that was only authorised is captured for the same order. */
const isPaidOtherwise = (order: Order, before: Payment): boolean =>
  order.placedAt !== null && before.status !== 'authorized' && orders.settlement(order) <= 0;

/**
 * An order that was placed gets money: the whole of it moves it on.
 *
 * @param money the order with what it is paid now, and the risk of it
 * @param moved what becomes of one that moves on; money that staff record needs no review
 */
export async function paid(
  ctx: Ctx,
  order: Order,
  money: Order,
  moved: (ctx: Ctx, order: Order) => Promise<Order> = async (_ctx, order) => order,
): Promise<Order> {
  const isPaid = orders.settlement(money) <= 0 && order.paidAt === null;
  const { risk } = money;
  const changes = { ...amountsOf(money), risk, ...(isPaid && { paidAt: ctx.now(), dueAt: null }) };
  const isMoving = isPaid && order.status === 'pending';
  const written = isMoving
    ? await orders.transition(ctx, order, 'pay', changes)
    : await orders.write(ctx, order, changes);
  const after = isMoving ? await moved(ctx, written) : written;
  await countMoney(ctx, order, after);
  if (isPaid) {
    await mailPaymentReceived(ctx, after);
    await tellPaid(ctx, after);
  }
  // Of an order that was paid before, this is money for what staff added to it.
  if (order.paidAt !== null) await orders.orderEvents.tell(ctx, 'order.money', after.id, {});
  await orders.tell(ctx, 'order.updated', after, order);
  return after;
}

/** What its customer has spent grows with the money of a placed order, so that cancelling it can take all of it off. */
async function countMoney(ctx: Ctx, before: Order, after: Order): Promise<void> {
  const cents = after.paidCents + after.giftCardCents - before.paidCents - before.giftCardCents;
  if (before.placedAt !== null && before.customerId !== null && cents !== 0)
    await countOrder(ctx, before.customerId, 0, cents);
}

/** Another amount than was asked for: the money counts as what it is, and staff decide. */
async function mismatched(ctx: Ctx, order: Order, payment: Payment, asked: Payment): Promise<Settlement> {
  const after = await orders.write(ctx, order, amountsOf(await restated(ctx, order)));
  await countMoney(ctx, order, after);
  await orders.orderEvents.tell(ctx, 'order.money', order.id, {});
  await tellStaff(ctx, 'admin_payment_problem', order.id);
  await orders.note(ctx, order.id, {
    type: 'payment',
    body: 'The processor reported a different amount than requested. The order was not placed.',
    data: {
      problem: 'amount_mismatch',
      payment_id: payment.id,
      asked: { cents: asked.amountCents, currency: asked.currency },
      reported: { cents: payment.capturedCents || payment.authorizedCents, currency: payment.currency },
    },
  });
  return { order: after, payment, isKnown: false };
}

/** No money was taken, and none will be. What was captured stays so: a report that came late says nothing new. */
async function giveUp(ctx: Ctx, order: Order, before: Payment, outcome: Outcome): Promise<Settlement> {
  const isVoid = outcome.status === 'voided';
  if (!isOpen(before) && !(isVoid && before.status === 'authorized'))
    return { order, payment: before, isKnown: true };
  const payment = await store(ctx, before, {
    ...told(before, outcome),
    status: isVoid && before.status === 'authorized' ? 'voided' : 'failed',
    nextAction: null,
    errorCode: (outcome.errorCode ?? (isVoid ? 'abandoned' : 'declined')).slice(0, 100),
    errorMessage: outcome.message?.slice(0, 1000) ?? null,
  });
  await orders.note(ctx, order.id, {
    type: 'payment',
    data: { payment_id: payment.id, status: payment.status, error_code: payment.errorCode },
  });
  const after = await orders.write(ctx, order, amountsOf(await restated(ctx, order)));
  if (order.placedAt !== null) await orders.tell(ctx, 'order.updated', after, order);
  if (outcome.status === 'declined' && !NOT_OF_THE_CARD.includes(payment.errorCode ?? ''))
    await countDecline(ctx, order, payment.fingerprint);
  return { order: after, payment, isKnown: false };
}

/** Why nothing was taken where the card is not what was refused. */
const NOT_OF_THE_CARD = ['unavailable', 'amount_not_chargeable', 'canceled', 'abandoned', 'never_charged'];

/** Not decided: the buyer has to do something, or the processor still works on it. */
async function wait(ctx: Ctx, order: Order, before: Payment, outcome: Outcome): Promise<Settlement> {
  if (!isOpen(before)) return { order, payment: before, isKnown: true };
  const status = outcome.status === 'requires_action' ? 'requires_action' : 'pending';
  const payment = await store(ctx, before, {
    ...told(before, outcome),
    status,
    nextAction: outcome.nextAction ? { ...outcome.nextAction } : null,
  });
  return { order, payment, isKnown: before.status === status };
}
