import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { MAX_AMOUNT_CENTS, shareOf } from '#kernel/money.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { type Action, action } from '#platform/admin/index.ts';
import { changed, lock, wholeFor } from './change.ts';
import { change, get, remove } from './products.ts';
import { normed, type Product } from './record.ts';
import * as repo from './repository.ts';
import { CategoryName, PercentChange, TagName } from './schemas.ts';

/** Gives a product a tag beside those that it has. @throws AppError NOT_FOUND; VALIDATION_ERROR beyond 50 tags */
export const tag = (ctx: Ctx, id: string, input: z.output<typeof TagName>): Promise<Product> =>
  retagged(ctx, id, (tags) => {
    const { tag } = checkInput(TagName, input);
    return tags.some((one) => normed(one) === normed(tag)) ? tags : [...tags, tag];
  });

/** Takes a tag from a product, in whatever case it is written. @throws AppError NOT_FOUND */
export const untag = (ctx: Ctx, id: string, input: z.output<typeof TagName>): Promise<Product> =>
  retagged(ctx, id, (tags) => {
    const { tag } = checkInput(TagName, input);
    return tags.filter((one) => normed(one) !== normed(tag));
  });

const retagged = (ctx: Ctx, id: string, wanted: (tags: readonly string[]) => readonly string[]) =>
  ctx.tx(async (ctx) => {
    const { tags } = await wholeFor(ctx, await lock(ctx, id));
    return change(ctx, id, { tags: [...wanted(tags)] });
  });

/** Puts a product into a category in place of those that it stands in. @throws AppError NOT_FOUND; VALIDATION_ERROR */
export const setCategory = (ctx: Ctx, id: string, input: z.output<typeof CategoryName>): Promise<Product> =>
  change(ctx, id, { categoryIds: [checkInput(CategoryName, input).categoryId] });

const WHOLE_BPS = 10_000;

/** `-2.5` in basis points, without floats. */
function basisPoints(percent: string): number {
  const [, sign = '', whole = '0', part = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(percent) ?? [];
  const bps = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return sign === '-' ? -bps : bps;
}

/**
 * Changes the prices of all variants of a product by a percentage, each rounded half up.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR below -100 %, and for a price that would be too large
 */
export async function changePrices(
  ctx: Ctx,
  id: string,
  input: z.output<typeof PercentChange>,
): Promise<Product> {
  const bps = WHOLE_BPS + basisPoints(checkInput(PercentChange, input).percent);
  if (bps < 0) throw invalidField('percent', 'must be at least -100');
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, id);
    let isChanged = false;
    for (const variant of (await wholeFor(ctx, product)).variants) {
      const priceCents = shareOf(variant.priceCents, bps);
      if (priceCents === variant.priceCents) continue;
      if (priceCents > MAX_AMOUNT_CENTS)
        throw invalidField('percent', `the price of ${variant.sku} would be too large`);
      await repo.updateVariant(ctx, { ...variant, priceCents, updatedAt: ctx.now() });
      isChanged = true;
    }
    return isChanged ? changed(ctx, product) : product;
  });
}

const needs = 'products:write';

/** What is done with many products at once (storefront-api.md, S). */
export const bulkActions: Readonly<Record<string, Action<Product>>> = {
  delete: action<Product>({
    label: 'Delete',
    summary: 'Delete products; products with orders are archived',
    needs,
    level: 'severe',
    where: 'bulk',
    input: z.strictObject({}),
    run: async (ctx, id) => {
      const before = await get(ctx, id);
      await remove(ctx, id);
      return before;
    },
  }),
  tag: action<Product, typeof TagName>({
    label: 'Add a tag',
    summary: 'Add a tag to products',
    needs,
    level: 'mild',
    where: 'bulk',
    input: TagName,
    run: tag,
  }),
  untag: action<Product, typeof TagName>({
    label: 'Remove a tag',
    summary: 'Remove a tag from products',
    needs,
    level: 'mild',
    where: 'bulk',
    input: TagName,
    run: untag,
  }),
  setCategory: action<Product, typeof CategoryName>({
    label: 'Set the category',
    summary: 'Put products into one category and remove them from all others',
    needs,
    level: 'moderate',
    where: 'bulk',
    input: CategoryName,
    run: setCategory,
  }),
  pricePercent: action<Product, typeof PercentChange>({
    label: 'Change prices by percent',
    summary: 'Change the prices of all variants of products by a percentage',
    needs,
    level: 'severe',
    where: 'bulk',
    input: PercentChange,
    run: changePrices,
  }),
};
