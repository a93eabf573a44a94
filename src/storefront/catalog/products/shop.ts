import type { Ctx } from '#kernel/context.ts';
import { isShown } from './publication.ts';
import { cardRowsOf, productOfSlug, wholeOf } from './queries.ts';
import { cardView, type ProductCard, type ShopProduct, shopProductView } from './view.ts';

/**
 * Products as lists of the shop show them, in the order of the ids: those that are not shown now are left out.
 *
 * @param ids that a search or a category found, some hundreds at most
 */
export async function cards(ctx: Ctx, ids: readonly string[]): Promise<ProductCard[]> {
  if (ids.length === 0) return [];
  const now = ctx.now();
  return (await cardRowsOf(ctx, ids)).filter(({ product }) => isShown(product, now)).map(cardView);
}

/**
 * The product that the shop shows under a slug, or under one that it had before: `slug` of the answer is today's.
 *
 * @returns null when there is none, or none that is shown now
 */
export async function bySlug(ctx: Ctx, slug: string): Promise<ShopProduct | null> {
  const product = await productOfSlug(ctx, slug);
  return product && isShown(product, ctx.now()) ? shopProductView(await wholeOf(ctx, product)) : null;
}
