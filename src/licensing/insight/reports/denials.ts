import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { type DayRange, daysOf, EXHAUSTED, type RangeAsked } from '../statistics/index.ts';
import { countDenials, type DenialFilter, describeDenials, listDenials } from './denied/queries.ts';
import { productIdOf } from './seats.ts';
import type { DenialGroup, Denials } from './view.ts';

/** What is asked of refusals. */
export interface DenialsAsked extends RangeAsked {
  /** By slug or id. */
  readonly product?: string | undefined;
  /** Decision code; for want of a seat when left out. */
  readonly code?: string | undefined;
  readonly minCount?: number | undefined;
  readonly groupBy?: DenialGroup | undefined;
}

const DEFAULT_DAYS = 30;
const ROWS_AT_ONCE = 100;

/**
 * Who was refused, most refusals first: licenses that need more seats, when no other code is asked for (licensing 6.10).
 *
 * @returns the page with its days
 * @throws AppError NOT_FOUND for an unknown product; VALIDATION_ERROR for a page or a range out of bounds
 */
export async function denials(ctx: Ctx, asked: DenialsAsked & PageAsked): Promise<Page<Denials> & DayRange> {
  const slice = sliceOf(asked);
  const filter = await filterOf(ctx, asked);
  return { ...filter.range, ...pageOf(asked, await listDenials(ctx, filter, slice)) };
}

/** All of them, a hundred at a time. @throws as `denials`, before the first */
export async function allDenials(ctx: Ctx, asked: DenialsAsked): Promise<AsyncGenerator<Denials[]>> {
  const filter = await filterOf(ctx, asked);
  const counted = await countDenials(ctx, filter);
  return (async function* () {
    for (let from = 0; from < counted.length; from += ROWS_AT_ONCE)
      yield await describeDenials(ctx, filter, counted.slice(from, from + ROWS_AT_ONCE));
  })();
}

async function filterOf(
  ctx: Ctx,
  { product, code = EXHAUSTED, minCount = 1, groupBy = 'license', ...range }: DenialsAsked,
): Promise<DenialFilter> {
  return {
    range: daysOf(ctx, range, DEFAULT_DAYS),
    productId: await productIdOf(ctx, product),
    code,
    minCount,
    groupBy,
  };
}
