import type { Ctx } from '#kernel/context.ts';
import { listActive, productOfSlug, wholeOf, wholesOf } from './queries.ts';
import { isShown } from './schedule.ts';
import { cardOf, type ProductCard, type ShopProduct, shopProductView } from './view.ts';
import type { Whole } from './whole.ts';

/** What lists of the shop are made of. */
export type ShelfRow = Whole & { readonly card: ProductCard };

/**
 * The product that the shop shows under a slug, or under one that it had before: `slug` of the answer is today's.
 *
 * @returns null when there is none, or none that is shown now
 */
export async function bySlug(ctx: Ctx, slug: string): Promise<ShopProduct | null> {
  const product = await productOfSlug(ctx, slug);
  return product && isShown(product, ctx.now()) ? shopProductView(await wholeOf(ctx, product)) : null;
}

/**
 * Active products with everything that is part of them, also those that are shown only later; in no order. What cannot be
 * bought because it has no variant is left out.
 */
export async function shelfRows(ctx: Ctx, ids: readonly string[]): Promise<ShelfRow[]> {
  const wholes = await wholesOf(ctx, await listActive(ctx, ids));
  return wholes
    .filter(({ variants }) => variants.length > 0)
    .map((whole) => ({ ...whole, card: cardOf(whole) }));
}

/** Whether a slug is that of a product which is no longer sold. */
export const isGone = async (ctx: Ctx, slug: string): Promise<boolean> =>
  (await productOfSlug(ctx, slug))?.status === 'archived';
