import type { Ctx } from '#kernel/context.ts';
import { shareOf } from '#kernel/money.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { restockingFeeBps } from '#storefront/contract/selling-settings.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { returnEvents } from './events.ts';
import type { Return, ReturnItem } from './record.ts';
import * as repo from './repository.ts';
import { get, type Held, held, restate, tell, transition } from './returns.ts';
import { mailReturn } from './send.ts';
import { requireAllowed } from './states.ts';

/** How a return is refunded; what is absent follows from what the customer wants and from the settings. */
export interface Settling {
  readonly restockingFeeCents?: number | undefined;
  readonly shippingCents?: number | undefined;
  readonly to?: payments.Refund['to'] | undefined;
}

/** What a return comes to. */
export interface Reckoning {
  /** What the received units cost. */
  readonly valueCents: number;
  readonly feeCents: number;
  readonly shippingCents: number;
  /** Went back for this return before. */
  readonly beforeCents: number;
  readonly amountCents: number;
  readonly to: payments.Refund['to'];
}

/** What goes back of each line. */
export interface Line {
  readonly item: ReturnItem;
  readonly part: payments.ItemPart;
}

export const tooLarge = (message: string, details: object = {}) =>
  fail('VALIDATION_ERROR', message, { details: { reason: 'REFUND_TOO_LARGE', ...details } });

/**
 * What the units that have arrived come to.
 *
 * @throws AppError VALIDATION_ERROR, reason REFUND_TOO_LARGE, when units of them were refunded on the page of the order
 */
export async function linesOf(ctx: Ctx, orderId: string, items: readonly ReturnItem[]): Promise<Line[]> {
  const known = new Map((await orders.itemsOf(ctx, orderId)).map((line) => [line.id, line]));
  return items
    .filter(({ receivedQuantity }) => receivedQuantity > 0)
    .map((item) => {
      const line = known.get(item.orderItemId) as orders.OrderItem;
      const left = line.quantity - line.refundedQuantity;
      if (item.receivedQuantity > left)
        throw tooLarge(
          `only ${left} of ${line.sku} can still be refunded, and ${item.receivedQuantity} came back: close the return without a refund`,
          { order_item_id: line.id, refundable_quantity: left },
        );
      return { item, part: payments.itemPart(line, item.receivedQuantity) };
    });
}

/** Money that went back for a return before, or is under way. */
export async function refundedBefore(ctx: Ctx, { orderId, id }: Return): Promise<number> {
  const made = await payments.refundsOf(ctx, orderId);
  return made
    .filter(({ returnId, status }) => returnId === id && status !== 'failed')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
}

async function reckonedOf(ctx: Ctx, { order, one, items }: Held, how: Settling) {
  const lines = await linesOf(ctx, order.id, items);
  const valueCents = lines.reduce((sum, { part }) => sum + part.amountCents, 0);
  const beforeCents = Math.min(valueCents, await refundedBefore(ctx, one));
  const feeCents = how.restockingFeeCents ?? shareOf(valueCents, ctx.settings.get(restockingFeeBps));
  const most = valueCents - beforeCents;
  if (feeCents > most && how.restockingFeeCents !== undefined)
    throw invalidField(
      'restocking_fee_cents',
      `must be at most ${moneyWords({ amountCents: most, currency: order.currency }, 'en')}, which the goods are worth`,
    );
  const { shippingCents = 0 } = how;
  const kept = Math.min(feeCents, most);
  const reckoning: Reckoning = {
    valueCents,
    feeCents: kept,
    shippingCents,
    beforeCents,
    amountCents: most - kept + shippingCents,
    to: how.to ?? (one.resolution === 'store_credit' ? 'gift_card' : 'original'),
  };
  return { lines, reckoning };
}

/**
 * What a refund of a return would give back; nothing is written.
 *
 * @throws AppError as `refund`
 */
export async function previewSettling(
  ctx: Ctx,
  idOrNumber: string,
  how: Settling,
): Promise<Reckoning & { readonly leftCents: number }> {
  const one = await get(ctx, idOrNumber);
  requireAllowed(one, 'refund');
  const order = await orders.get(ctx, one.orderId);
  const { lines, reckoning } = await reckonedOf(
    ctx,
    { order, one, items: await repo.itemsOf(ctx, one.id) },
    how,
  );
  const { totalCents } = await payments.refundable(ctx, order);
  if (reckoning.amountCents > 0) await payments.previewRefund(ctx, order, inputOf(one, lines, reckoning));
  return { ...reckoning, leftCents: totalCents };
}

const inputOf = (one: Return, lines: readonly Line[], reckoning: Reckoning): payments.RefundInput => ({
  items: lines.map(({ part }) => ({ orderItemId: part.orderItemId, quantity: part.quantity })),
  shippingCents: reckoning.shippingCents,
  withheldCents: reckoning.feeCents + reckoning.beforeCents,
  to: reckoning.to,
  reason: `Return ${one.returnNumber}`,
  // The mail of the return says it.
  notify: false,
  returnId: one.id,
});

/**
 * Refunds what has arrived, once: the state of the return and the amounts move in one transaction, and the processor is
 * asked after it (storefront-domain 6.5).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason INVALID_TRANSITION, or REFUND_TOO_LARGE
 */
export async function refund(
  ctx: Ctx,
  idOrNumber: string,
  how: Settling = {},
): Promise<{ one: Return; refunds: payments.Refund[] }> {
  const { one, refunds } = await ctx.tx(async (ctx) => {
    const found = await held(ctx, idOrNumber);
    requireAllowed(found.one, 'refund');
    return refundLocked(ctx, found, how);
  });
  for (const { id } of refunds) await payments.sendRefund(ctx, id);
  const made = (await payments.refundsOf(ctx, one.orderId)).filter(({ returnId }) => returnId === one.id);
  return { one: await get(ctx, one.id), refunds: made };
}

async function refundLocked(ctx: Ctx, found: Held, how: Settling) {
  const { order, one } = found;
  const { lines, reckoning } = await reckonedOf(ctx, found, how);
  const after = await transition(ctx, one, 'refund', {
    outcome: 'refund',
    restockingFeeCents: reckoning.feeCents,
    closedAt: ctx.now(),
  });
  await keepWorth(ctx, lines);
  const key = `return:${one.id}:${(await payments.refundsOf(ctx, order.id)).length}`;
  const refunds =
    reckoning.amountCents === 0
      ? []
      : await payments.reserve(ctx, order, inputOf(one, lines, reckoning), key);
  await returnEvents.tell(ctx, 'return.settled', one.id, { orderId: order.id, outcome: 'refund' });
  await tell(ctx, 'return.changed', after, one);
  await restate(ctx, order.id);
  await mailReturn(ctx, order, after, 'return_completed', reckoning.amountCents);
  return { one: after, refunds };
}

/** Keeps what each item came to. */
export async function keepWorth(ctx: Ctx, lines: readonly Line[]): Promise<void> {
  for (const { item, part } of lines)
    await repo.updateItem(ctx, { ...item, refundCents: part.amountCents, updatedAt: ctx.now() });
}

/** Ends a return whose goods have arrived, without money going back. @throws AppError as `refund` */
export const close = (ctx: Ctx, idOrNumber: string, reason: string): Promise<Return> =>
  ctx.tx(async (ctx) => {
    const { order, one } = await held(ctx, idOrNumber);
    const changes = { outcome: 'none', endReason: reason, closedAt: ctx.now() } as const;
    const after = await transition(ctx, one, 'close', changes);
    await returnEvents.tell(ctx, 'return.ended', one.id, { orderId: order.id, how: after.status });
    await tell(ctx, 'return.changed', after, one, reason);
    await restate(ctx, order.id);
    await mailReturn(ctx, order, after, 'return_completed', 0);
    return after;
  });
