import type { Ctx } from '#kernel/context.ts';
import { placeProducts, productsIn } from '../products/index.ts';
import { get } from './categories.ts';
import { categoryEvents } from './events.ts';
import * as repo from './repository.ts';

/** Ids of the products that stand in a category itself, in its order. @throws AppError NOT_FOUND */
export async function listProducts(ctx: Ctx, id: string): Promise<string[]> {
  await get(ctx, id);
  return productsIn(ctx, 'category', id);
}

/**
 * Puts products into a category in this order, in place of those that it has.
 *
 * @returns how many there are
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown product, and for one named twice
 */
export async function replaceProducts(
  ctx: Ctx,
  id: string,
  input: { productIds: string[] },
): Promise<number> {
  return ctx.tx(async (ctx) => {
    await repo.lockTree(ctx);
    const before = await get(ctx, id);
    if (await placeProducts(ctx, 'category', id, input)) {
      const after = { ...before, updatedAt: ctx.now() };
      await repo.updateCategory(ctx, after);
      const { name, slug, path } = after;
      await categoryEvents.tell(ctx, 'category.updated', id, { name, slug, path }, { before, after });
    }
    return input.productIds.length;
  });
}
