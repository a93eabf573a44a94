import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { listProducts } from '#storefront/catalog/collections/index.ts';
import {
  normed,
  shopProductRows,
  type Variant,
  variantRows,
  type Whole,
  wholesOf,
} from '#storefront/catalog/products/index.ts';
import { publicUnitPrice } from '#storefront/contract/unit-price.ts';
import type { CartLine } from '../engine/index.ts';
import { categoriesAbove, tagsOf, variantOfSku } from './queries.ts';
import type { Promotion } from './record.ts';

/** A line that is to be priced. */
export interface WantedLine {
  readonly variant: Variant;
  readonly quantity: number;
  /** In place of what everybody pays for this quantity. */
  readonly unitCents?: number | undefined;
}

/** Lines as the price engine takes them, without tax. @param promotions whose collections are looked into */
export async function cartLines(
  ctx: Ctx,
  wanted: readonly WantedLine[],
  promotions: readonly Promotion[],
): Promise<CartLine[]> {
  const ids = [...new Set(wanted.map(({ variant }) => variant.productId))];
  const wholes = new Map(
    (await wholesOf(ctx, await shopProductRows.of(ctx, ids))).map((one) => [one.product.id, one]),
  );
  const categories = await categoriesAbove(ctx, ids);
  const collections = await collectionsOf(ctx, promotions);
  return wanted.flatMap((line) => {
    const whole = wholes.get(line.variant.productId);
    if (!whole) return [];
    return [
      {
        ...lineOf(line, whole),
        categoryIds: categories.get(whole.product.id) ?? [],
        collectionIds: [...collections].flatMap(([id, members]) =>
          members.has(whole.product.id) ? [id] : [],
        ),
      },
    ];
  });
}

function lineOf({ variant, quantity, unitCents }: WantedLine, { product, variants, tags }: Whole) {
  const { compareAtCents, priceCents } = variant;
  const priced = variants.find(({ id }) => id === variant.id) ?? { ...variant, tiers: [] };
  return {
    productId: product.id,
    variantId: variant.id,
    tags: tags.map(normed),
    unitCents: unitCents ?? publicUnitPrice(priced, quantity),
    quantity,
    isDiscountable: product.isDiscountable && product.type !== 'gift_card',
    isOnSale: compareAtCents !== null && compareAtCents > priceCents,
    rates: [],
  };
}

/** What promotions ask of products beside their ids. */
export interface Placement {
  readonly categoryIds: readonly string[];
  readonly collectionIds: readonly string[];
  readonly tags: readonly string[];
}

const NOWHERE: Placement = { categoryIds: [], collectionIds: [], tags: [] };

/**
 * Where products stand, as far as promotions ask for it: of what none of them names nothing is read.
 *
 * @returns what is known of a product, by its id
 */
export async function placementsOf(
  ctx: Ctx,
  productIds: readonly string[],
  promotions: readonly Promotion[],
): Promise<(productId: string) => Placement> {
  const ids = [...new Set(productIds)];
  const categories = names(promotions, 'categories') ? await categoriesAbove(ctx, ids) : null;
  const tags = names(promotions, 'tags') ? await tagsOf(ctx, ids) : null;
  const collections = await collectionsOf(ctx, promotions);
  if (!categories && !tags && collections.size === 0) return () => NOWHERE;
  return (id) => ({
    categoryIds: categories?.get(id) ?? [],
    collectionIds: [...collections].flatMap(([one, members]) => (members.has(id) ? [one] : [])),
    tags: tags?.get(id) ?? [],
  });
}

/** Whether any of the promotions names things of a kind. */
const names = (promotions: readonly Promotion[], kind: 'categories' | 'tags'): boolean =>
  promotions.some(({ appliesTo, excludes, buy, get }) =>
    [appliesTo, excludes, buy, get].some((one) => one !== null && one !== 'all' && one[kind] !== undefined),
  );

/** Products of the collections that promotions name: a collection of rules is asked, not stored. */
async function collectionsOf(
  ctx: Ctx,
  promotions: readonly Promotion[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named = new Set(
    promotions.flatMap(({ appliesTo, excludes, buy, get }) =>
      [appliesTo, excludes, buy, get].flatMap((one) =>
        one === null || one === 'all' ? [] : (one.collections ?? []),
      ),
    ),
  );
  const found = new Map<string, ReadonlySet<string>>();
  for (const id of named) found.set(id, new Set(await productsOf(ctx, id)));
  return found;
}

/** Of a collection that was removed since there are none. */
async function productsOf(ctx: Ctx, id: string): Promise<string[]> {
  try {
    return await listProducts(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}

/** Variants by their ids or SKUs, in their order; null for what does not exist. */
export async function variantsNamed(
  ctx: Ctx,
  named: readonly { readonly variantId?: string | undefined; readonly sku?: string | undefined }[],
): Promise<(Variant | null)[]> {
  const found: (Variant | null)[] = [];
  for (const { variantId, sku } of named) {
    const id = variantId ?? (await variantOfSku(ctx, sku ?? ''));
    found.push(id === null ? null : await variantRows.find(ctx, id));
  }
  return found;
}
