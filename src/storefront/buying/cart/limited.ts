import type { Ctx } from '#kernel/context.ts';
import { cartLimits } from '#storefront/contract/extensions.ts';
import type { Goods } from './queries.ts';

/** Goods with the most of them that whoever delivers them allows in one cart. */
export async function limited<G extends Goods>(ctx: Ctx, goods: G): Promise<G> {
  const [limits] = await ctx.filled(cartLimits);
  const most = (await limits?.(ctx, [goods.variantId]))?.get(goods.variantId);
  if (most === undefined) return goods;
  return { ...goods, maxQuantity: Math.min(goods.maxQuantity ?? most, most) };
}
