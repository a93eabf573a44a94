import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { isOver, issue, look, revoke } from '#platform/one-time-tokens/index.ts';
import type { Order } from './record.ts';
import { findOrder } from './repository.ts';

const PURPOSE = 'order_access';
const DAYS = 30;

/** The path of the page that a token opens. */
export const orderPath = (token: string): string => `/shop/order/${token}`;

/**
 * A new link to the page of an order, for 30 days and any number of times (decision 0072). Each mail has its own: only
 * the hash of a token is stored, so that an earlier link cannot be written again.
 *
 * @returns the token; its page is at `orderPath`
 */
export async function openAccess(ctx: Ctx, { id }: Order): Promise<string> {
  const seconds = DAYS * SECONDS_PER_DAY;
  return (await issue(ctx, { purpose: PURPOSE, subjectId: id, seconds, keepsOthers: true })).token;
}

/** As `openAccess`, as the address that a mail names. */
export const accessUrl = async (ctx: Ctx, order: Order): Promise<string> =>
  new URL(orderPath(await openAccess(ctx, order)), ctx.baseUrl).href;

/** Ends all links to the page of an order: its mails go to somebody else from now on. */
export const closeAccess = (ctx: Ctx, { id }: Order): Promise<void> => revoke(ctx, PURPOSE, id);

/**
 * The placed order that a link opens.
 *
 * @throws AppError NOT_FOUND, reason TOKEN_EXPIRED for a link whose time is over, TOKEN_INVALID for every other one
 */
export async function orderOfToken(ctx: Ctx, token: string): Promise<Order> {
  const open = await look(ctx, PURPOSE, token);
  const order = open && (await findOrder(ctx, open.subjectId));
  if (order?.placedAt) return order;
  const reason = (await isOver(ctx, PURPOSE, token)) ? 'TOKEN_EXPIRED' : 'TOKEN_INVALID';
  throw fail('NOT_FOUND', 'This order link is no longer valid', { details: { reason } });
}
