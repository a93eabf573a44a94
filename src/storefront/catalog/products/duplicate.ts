import type { Ctx } from '#kernel/context.ts';
import { create, getWhole } from './products.ts';
import { normed, type Product } from './record.ts';
import * as repo from './repository.ts';
import type { ProductCreateInput } from './schemas.ts';
import type { VariantOf, Whole } from './whole.ts';

/**
 * Copies a product with its options, variants, tags, pictures and places, as a draft. The copy has a slug of its own, and each of its
 * variants an SKU of its own. Colors of values are not copied.
 *
 * @param title of the copy; the same with `(copy)` when absent
 * @throws AppError NOT_FOUND
 */
export async function duplicate(ctx: Ctx, id: string, title?: string): Promise<Product> {
  return ctx.tx(async (ctx) => {
    const whole = await getWhole(ctx, id);
    const ending = await freeEnding(ctx, whole);
    return create(ctx, inputOf(whole, title ?? `${whole.product.title.slice(0, 248)} (copy)`, ending));
  });
}

const LONGEST_SKU = 100;
const skuWith = (sku: string, ending: string): string => sku.slice(0, LONGEST_SKU - ending.length) + ending;

/** What makes every SKU of a product another one that is free: `-COPY`, `-COPY2`. */
async function freeEnding(ctx: Ctx, { variants }: Whole): Promise<string> {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '-COPY' : `-COPY${number}`;
    const norms = variants.map(({ sku }) => normed(skuWith(sku, ending)));
    if ((await repo.takenSkus(ctx, norms)).size === 0) return ending;
  }
}

function inputOf(
  { product, options, variants, tags, pictures, places }: Whole,
  title: string,
  ending: string,
): ProductCreateInput {
  const { type, descriptionHtml, shortDescription, brand, isDiscountable, isTaxable } = product;
  const { minQuantity, maxQuantity, seoTitle, seoDescription } = product;
  return {
    title,
    type,
    descriptionHtml,
    shortDescription,
    brand,
    isDiscountable,
    isTaxable,
    minQuantity,
    maxQuantity,
    seoTitle,
    seoDescription,
    tags: [...tags],
    categoryIds: places.flatMap(({ kind, id }) => (kind === 'category' ? [id] : [])),
    collectionIds: places.flatMap(({ kind, id }) => (kind === 'collection' ? [id] : [])),
    mediaIds: pictures.map(({ media }) => media.id),
    options: options.map(({ name, values, position }) => ({
      name,
      position,
      values: values.map(({ value }) => value),
    })),
    variants: variants.map((variant) => variantInputOf(variant, ending)),
  };
}

const variantInputOf = (variant: VariantOf, ending: string) => ({
  sku: skuWith(variant.sku, ending),
  priceCents: variant.priceCents,
  compareAtCents: variant.compareAtCents,
  costCents: variant.costCents,
  barcode: variant.barcode,
  weightG: variant.weightG,
  lengthMm: variant.lengthMm,
  widthMm: variant.widthMm,
  heightMm: variant.heightMm,
  requiresShipping: variant.requiresShipping,
  isDefault: variant.isDefault,
  position: variant.position,
  optionValues: Object.fromEntries(variant.chosen.map(({ option, value }) => [option, value])),
});
