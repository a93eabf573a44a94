import type { Ctx } from '#kernel/context.ts';
import { shopProductEvents } from './events.ts';
import { create, getWhole } from './products.ts';
import { normed, type Product } from './record.ts';
import * as repo from './repository.ts';
import type { ProductCreateInput } from './schemas.ts';
import { stockLike } from './variants.ts';
import type { VariantOf, Whole } from './whole.ts';

/**
 * Copies a product with its options, variants, tags, pictures, places and quantity breaks, as a draft. The copy has a slug of its
 * own, and each of its variants an SKU of its own and nothing in stock. Colors of values are not copied.
 *
 * @param title of the copy; the same with `(copy)` when absent
 * @throws AppError NOT_FOUND
 */
export async function duplicate(ctx: Ctx, id: string, title?: string): Promise<Product> {
  return ctx.tx(async (ctx) => {
    // Copies are made one after the other: two at once would choose the same SKUs.
    await repo.lockSlugs(ctx);
    const whole = await getWhole(ctx, id);
    const ending = await freeEnding(ctx, whole);
    const input = inputOf(whole, title ?? `${whole.product.title.slice(0, 248)} (copy)`, ending);
    const stock = await stockLike(
      ctx,
      whole.variants.map(({ id }) => id),
    );
    const variants = input.variants?.map((one, at) => ({
      ...one,
      ...stock.get(whole.variants[at]?.id ?? ''),
    }));
    const copy = await create(ctx, { ...input, variants });
    await tellCopied(ctx, whole, copy, ending);
    return copy;
  });
}

/** Each variant of the copy is known by its SKU. */
async function tellCopied(ctx: Ctx, { variants }: Whole, { id }: Product, ending: string): Promise<void> {
  const made = new Map((await getWhole(ctx, id)).variants.map((one) => [normed(one.sku), one.id]));
  const pairs = variants.flatMap(({ id: from, sku }) => {
    const to = made.get(normed(skuWith(sku, ending)));
    return to === undefined ? [] : [{ from, to }];
  });
  await shopProductEvents.tell(ctx, 'product.duplicated', id, { variants: pairs });
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
  const { type, descriptionHtml, shortDescription, brand, isDiscountable, isTaxable, taxClassId } = product;
  const { minQuantity, maxQuantity, seoTitle, seoDescription } = product;
  return {
    title,
    type,
    descriptionHtml,
    shortDescription,
    brand,
    isDiscountable,
    isTaxable,
    taxClassId,
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
  shippingClassId: variant.shippingClassId,
  isDefault: variant.isDefault,
  position: variant.position,
  optionValues: Object.fromEntries(variant.chosen.map(({ option, value }) => [option, value])),
});
