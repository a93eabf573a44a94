import type { Ctx } from '#kernel/context.ts';
import { missing } from './change.ts';
import { productOfSlug, shopProductRows, variantRows } from './queries.ts';
import type { Product } from './record.ts';

/**
 * A product by its id, its slug, one that it had before, or the SKU of one of its variants.
 *
 * @throws AppError NOT_FOUND
 */
export const byName = async (ctx: Ctx, name: string): Promise<Product> =>
  (await shopProductRows.find(ctx, name)) ??
  (await productOfSlug(ctx, name)) ??
  (await bySku(ctx, name)) ??
  missing(name);

async function bySku(ctx: Ctx, sku: string): Promise<Product | null> {
  const { items } = await variantRows.page(ctx, { filters: { sku }, offset: 0, limit: 1 });
  const [variant] = items;
  return variant === undefined ? null : shopProductRows.find(ctx, variant.productId);
}
