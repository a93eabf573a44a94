import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { listSeatUse } from './seats/queries.ts';
import type { SeatUse } from './view.ts';

/**
 * Seats in use of every floating license that is not revoked, the fullest first (licensing 6.10).
 *
 * @param asked `product` by slug or id
 * @throws AppError NOT_FOUND for an unknown product; VALIDATION_ERROR for a page out of range
 */
export async function seatUse(
  ctx: Ctx,
  asked: PageAsked & { product?: string | undefined },
): Promise<Page<SeatUse>> {
  const slice = sliceOf(asked);
  return pageOf(asked, await listSeatUse(ctx, await productIdOf(ctx, asked.product), slice));
}

/** The id of a product that is named by its id or its slug. @throws AppError NOT_FOUND */
export const productIdOf = async (ctx: Ctx, product: string | undefined): Promise<string | undefined> =>
  product === undefined ? undefined : (await products.get(ctx, product)).id;
