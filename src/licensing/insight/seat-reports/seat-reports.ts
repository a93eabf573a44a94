import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as queries from './queries.ts';
import type { SeatDenials, SeatUse } from './view.ts';

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
  return pageOf(asked, await queries.listSeatUse(ctx, await productIdOf(ctx, asked.product), slice));
}

/**
 * Licenses that refused machines because every seat or slot was taken: who needs more (licensing 6.10).
 *
 * @param asked `product` by slug or id; `since` ISO 8601 UTC, whose whole day counts
 * @throws AppError NOT_FOUND for an unknown product; VALIDATION_ERROR for a page out of range
 */
export async function seatDenials(
  ctx: Ctx,
  asked: PageAsked & { product?: string | undefined; since: string },
): Promise<Page<SeatDenials>> {
  const slice = sliceOf(asked);
  const filter = { productId: await productIdOf(ctx, asked.product), since: asked.since };
  return pageOf(asked, await queries.listSeatDenials(ctx, filter, slice));
}

const productIdOf = async (ctx: Ctx, product: string | undefined): Promise<string | undefined> =>
  product === undefined ? undefined : (await products.get(ctx, product)).id;
