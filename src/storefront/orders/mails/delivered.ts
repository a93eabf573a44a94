import type { Ctx } from '#kernel/context.ts';
import { type BlocksAsked, mailBlocks } from '#storefront/contract/extensions.ts';
import { findOrder } from '../orders/index.ts';

/** Blocks of a mail about a paid order: what is delivered with it. Of one that is not paid, or has ended, none. */
export async function blocksOf(
  ctx: Ctx,
  orderId: string,
  how: BlocksAsked,
): Promise<Readonly<Record<string, string>>> {
  const order = await findOrder(ctx, orderId);
  if (!order || order.paidAt === null || order.status === 'cancelled') return {};
  const places = await ctx.filled(mailBlocks);
  return Object.assign({}, ...(await Promise.all(places.map((one) => one(ctx, order, how)))));
}
