import type { Ctx } from '#kernel/context.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import { type Level, levelsOf, levelsOfProduct } from '../inventory/index.ts';
import type { StockOf } from './whole.ts';

/** Tells what is in stock of a variant by its id; null for one that it does not know. */
type StockIn = (variantId: string) => StockOf | null;

function stockIn({ settings }: Ctx, levels: ReadonlyMap<string, Level>): StockIn {
  const standing = settings.get(lowStockThreshold);
  return (id) => {
    const level = levels.get(id);
    return level ? { level, standing } : null;
  };
}

/** What is in stock of some variants: one question. */
export const stockOfVariants = async (
  ctx: Ctx,
  variants: readonly { readonly id: string }[],
): Promise<StockIn> =>
  stockIn(
    ctx,
    await levelsOf(
      ctx,
      variants.map(({ id }) => id),
    ),
  );

/** What is in stock of the variants of a product, by one compiled statement. */
export const stockOfProduct = async (ctx: Ctx, id: string): Promise<StockIn> =>
  stockIn(ctx, await levelsOfProduct(ctx, id));
