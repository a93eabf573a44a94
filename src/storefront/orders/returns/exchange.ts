import type { Ctx } from '#kernel/context.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { cancelOf } from './decide.ts';
import { returnEvents } from './events.ts';
import type { Return } from './record.ts';
import * as repo from './repository.ts';
import { get, type Held, held, restate, tell, transition } from './returns.ts';
import { mailReturn } from './send.ts';
import { keepWorth, type Line, linesOf, refundedBefore, tooLarge } from './settle.ts';
import { requireAllowed } from './states.ts';

/** What the received units of a return are worth towards other goods, and in the prices of its order. */
export interface ExchangeWorth extends Held {
  readonly grossCents: number;
  /** Without tax, where the prices of the order are without. */
  readonly priceCents: number;
}

async function worthIn(ctx: Ctx, found: Held): Promise<ExchangeWorth & { lines: readonly Line[] }> {
  requireAllowed(found.one, 'exchange');
  const lines = await linesOf(ctx, found.order.id, found.items);
  const sum = (of: (part: payments.ItemPart) => number) =>
    lines.reduce((total, { part }) => total + of(part), 0);
  const gross = sum(({ amountCents }) => amountCents);
  const tax = found.order.pricesIncludeTax ? 0 : sum(({ taxCents }) => taxCents);
  const left = Math.max(0, gross - (await refundedBefore(ctx, found.one)));
  const priceCents = gross === 0 ? 0 : Number((BigInt(gross - tax) * BigInt(left)) / BigInt(gross));
  return { ...found, lines, grossCents: left, priceCents };
}

/** As `takeWorth`; nothing is written. */
export async function worthFor(ctx: Ctx, idOrNumber: string): Promise<ExchangeWorth> {
  const one = await get(ctx, idOrNumber);
  const order = await orders.get(ctx, one.orderId);
  return worthIn(ctx, { order, one, items: await repo.itemsOf(ctx, one.id) });
}

/**
 * Takes the worth of what has arrived for goods in exchange, in the transaction that orders them: nobody gets it as money
 * too. `exchanged` ends it.
 *
 * @throws AppError as `refund`
 */
export async function takeWorth(ctx: Ctx, idOrNumber: string): Promise<ExchangeWorth> {
  const { lines, ...worth } = await worthIn(ctx, await held(ctx, idOrNumber));
  for (const { part } of lines)
    if (!(await orders.takeRefundOfItem(ctx, part.orderItemId, part.quantity, part.amountCents)))
      throw tooLarge(`this quantity of the item ${part.orderItemId} can no longer be exchanged`);
  await keepWorth(ctx, lines);
  return worth;
}

/**
 * Completes a return whose goods are replaced by another order, in the transaction that makes it.
 *
 * @param restCents what the new goods cost less; it goes back as money. `sendRefund` asks the processor after the commit
 */
export async function exchanged(
  ctx: Ctx,
  { order, one }: ExchangeWorth,
  { exchangeOrderId, restCents }: { readonly exchangeOrderId: string; readonly restCents: number },
): Promise<{ one: Return; refunds: payments.Refund[] }> {
  const changes = { outcome: 'exchange', exchangeOrderId, closedAt: ctx.now() } as const;
  const after = await transition(ctx, one, 'exchange', changes);
  const key = `return:${one.id}:${exchangeOrderId}`;
  const to = one.resolution === 'store_credit' ? 'gift_card' : 'original';
  const about = { to, returnId: one.id, reason: `Return ${one.returnNumber}` } as const;
  const refunds =
    restCents === 0 ? [] : await payments.reserve(ctx, order, { adjustmentCents: restCents, ...about }, key);
  await returnEvents.tell(ctx, 'return.settled', one.id, { orderId: order.id, outcome: 'exchange' });
  await tell(ctx, 'return.changed', after, one);
  await restate(ctx, order.id);
  await mailReturn(ctx, order, after, 'return_completed', restCents);
  return { one: after, refunds };
}

/** Opens a completed return again, to be settled another way, in a transaction that has locked neither. */
async function reopen(ctx: Ctx, returnId: string): Promise<void> {
  const { order, one } = await held(ctx, returnId);
  if (one.status !== 'completed') return;
  const changes = { outcome: null, exchangeOrderId: null, closedAt: null, restockingFeeCents: 0 } as const;
  const after = await transition(ctx, one, 'reopen', changes);
  await tell(ctx, 'return.changed', after, one);
  await restate(ctx, order.id);
}

/** The processor refused a refund: unless other money of the return went back, staff settle it anew. */
export async function refundRefused(ctx: Ctx, returnId: string): Promise<void> {
  const one = await repo.findReturn(ctx, returnId);
  if (one?.outcome === 'refund' && (await refundedBefore(ctx, one)) === 0) await reopen(ctx, returnId);
}

/** An order has ended whose goods were to replace others: what those were worth is there again. */
async function exchangeEnded(ctx: Ctx, orderId: string): Promise<void> {
  const one = await repo.findByExchange(ctx, orderId);
  if (!one) return;
  await orders.lock(ctx, one.orderId);
  for (const { orderItemId, receivedQuantity, refundCents } of await repo.itemsOf(ctx, one.id))
    if (receivedQuantity > 0)
      await orders.takeRefundOfItem(ctx, orderItemId, -receivedQuantity, -refundCents);
  await reopen(ctx, one.id);
}

/** An order has ended: what was to come back of it stays, and what it replaced is settled another way. */
export async function orderEnded(ctx: Ctx, orderId: string, wasPlaced: boolean): Promise<void> {
  await exchangeEnded(ctx, orderId);
  if (wasPlaced) await cancelOf(ctx, orderId);
}
