import type { Ctx } from '#kernel/context.ts';
import { escapeHtml } from '#platform/mail/index.ts';
import { type BlocksAsked, mailBlocks } from '#storefront/contract/extensions.ts';
import { mailWords } from '#storefront/contract/mail-words.ts';
import { awaitsLicense, findOrder, itemsOf, type Order } from '../orders/index.ts';

/** Blocks of a mail about a paid order: what is delivered with it. Of one that is not paid, or has ended, none. */
export async function blocksOf(
  ctx: Ctx,
  orderId: string,
  how: BlocksAsked,
): Promise<Readonly<Record<string, string>>> {
  const order = await findOrder(ctx, orderId);
  if (!order || order.status === 'cancelled') return {};
  if (order.paidAt === null) return awaited(ctx, order);
  const places = await ctx.filled(mailBlocks);
  return Object.assign({}, ...(await Promise.all(places.map((one) => one(ctx, order, how)))));
}

/** Whoever bought a license and still has to pay learns when the key comes. */
async function awaited(ctx: Ctx, order: Order): Promise<Readonly<Record<string, string>>> {
  if (!awaitsLicense(order, await itemsOf(ctx, order.id))) return {};
  const t = await mailWords(ctx, order.locale);
  return { licenses_html: `<p>${escapeHtml(t('license.after_payment'))}</p>` };
}
