/** What a mail of an order says that waited, as the order is when it is sent. */
import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import * as tokens from '#platform/one-time-tokens/index.ts';
import { findOrder, type Order, settlement } from '../orders/index.ts';

/** Purpose of the tokens of links with which orders are paid. */
export const PAY_ORDER = 'pay-order';

const owes = (order: Order): boolean =>
  order.status !== 'cancelled' && order.refundedCents === 0 && settlement(order) > 0;

/** Whether money of the order is still waited for. */
export async function isDue(ctx: Ctx, orderId: string): Promise<boolean> {
  const order = await findOrder(ctx, orderId);
  return order !== null && owes(order);
}

/** Why nobody should get a link to pay any more; null where it still works. */
export async function whyNotToPay(ctx: Ctx, orderId: string, url: string): Promise<string | null> {
  if (!(await isDue(ctx, orderId))) return 'nothing is due for the order any more';
  const token = url.slice(url.lastIndexOf('/') + 1);
  return (await tokens.look(ctx, PAY_ORDER, token)) ? null : 'the link was replaced or has ended';
}

/** What is due now. */
export async function dueNow(ctx: Ctx, orderId: string): Promise<Readonly<Record<string, string>>> {
  const order = await findOrder(ctx, orderId);
  if (!order) return {};
  const { currency, locale } = order;
  return { total: moneyWords({ amountCents: settlement(order), currency }, locale) };
}
