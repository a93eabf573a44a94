import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { shopProductRows } from '../products/index.ts';
import { get } from './categories.ts';
import { categoryEvents } from './events.ts';
import * as repo from './repository.ts';
import { CategoryProducts, type CategoryProductsInput } from './schemas.ts';

/** Ids of the products that stand in a category itself, in its order. @throws AppError NOT_FOUND */
export async function listProducts(ctx: Ctx, id: string): Promise<string[]> {
  await get(ctx, id);
  return repo.productsIn(ctx, id);
}

/**
 * Puts products into a category in this order, in place of those that it has.
 *
 * @returns how many there are
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown product, and for one named twice
 */
export async function replaceProducts(ctx: Ctx, id: string, input: CategoryProductsInput): Promise<number> {
  const { productIds } = checkInput(CategoryProducts, input);
  return ctx.tx(async (ctx) => {
    await repo.lockTree(ctx);
    const category = await get(ctx, id);
    const known = new Set((await shopProductRows.of(ctx, productIds)).map((product) => product.id));
    const seen = new Set<string>();
    for (const [at, productId] of productIds.entries()) {
      const path = `product_ids.${at}`;
      if (!known.has(productId)) throw invalidField(path, `product ${productId} does not exist`);
      if (seen.has(productId)) throw invalidField(path, `product ${productId} is there twice`);
      seen.add(productId);
    }
    const before = await repo.productsIn(ctx, id);
    if (before.join() === productIds.join()) return productIds.length;
    await repo.replaceProducts(ctx, id, productIds);
    const after = { ...category, updatedAt: ctx.now() };
    await repo.updateCategory(ctx, after);
    const { name, slug, path } = after;
    await categoryEvents.tell(ctx, 'category.updated', id, { name, slug, path }, { before: category, after });
    return productIds.length;
  });
}
