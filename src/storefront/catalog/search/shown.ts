import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { variantLicenses } from '#storefront/contract/extensions.ts';
import * as products from '../products/index.ts';
import { type ShopProduct, variantLicenseView } from '../products/view.ts';
import { isShown, type Shelved, shelfOf } from './shelf.ts';
import { leftOf, type Stocked, stockedProduct } from './stock.ts';

/** So many products are kept as they were last asked for. */
const MOST_KEPT = 2000;

/** A product as its page shows it. */
export interface ShownProduct {
  readonly product: ShopProduct;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Of the product and its stock: the same as long as they are. */
  readonly etag: string;
}

const held = memoryKey(
  'products of the shop',
  () => new Map<string, ShownProduct & { readonly state: string }>(),
);

/**
 * The product that the shop shows under a slug, or under one that it had before: `slug` of the answer is today's.
 *
 * @returns null when there is none, or none that is shown now
 */
export async function shownProduct(ctx: Ctx, slug: string): Promise<Stocked<ShownProduct> | null> {
  const shown = await productAt(ctx, slug);
  return shown && licensed(ctx, await stockedProduct(ctx, shown));
}

/** With the licenses that its variants are sold with; a product without any costs one question at most. */
async function licensed<S extends ShownProduct>(ctx: Ctx, shown: S): Promise<S> {
  const places = await ctx.filled(variantLicenses);
  if (places.length === 0) return shown;
  const ids = shown.product.variants.map(({ id }) => id);
  const found = new Map((await Promise.all(places.map((one) => one(ctx, ids)))).flatMap((map) => [...map]));
  if (found.size === 0) return shown;
  const variants = shown.product.variants.map((variant) => {
    const license = found.get(variant.id);
    return license ? { ...variant, license: variantLicenseView(license) } : variant;
  });
  const told = sha256Hex(JSON.stringify(variants.map(({ license }) => license)));
  return {
    ...shown,
    product: { ...shown.product, variants },
    etag: `${shown.etag.slice(0, -1)}-${told.slice(0, 12)}"`,
  };
}

/** What the page of a product says of how many are left; empty where it says nothing of it. */
export async function leftAt(ctx: Ctx, slug: string): Promise<string> {
  const shelved = (await shelfOf(ctx)).bySlug.get(slug);
  return shelved ? leftOf(ctx, shelved.id) : '';
}

async function productAt(ctx: Ctx, slug: string): Promise<ShownProduct | null> {
  const shelved = (await shelfOf(ctx)).bySlug.get(slug);
  if (!shelved) return withEtag(await products.bySlug(ctx, slug), '');
  if (!isShown(shelved, ctx.now())) return null;
  return keep(ctx, shelved);
}

async function keep(ctx: Ctx, { id, state, card, updatedAt }: Shelved): Promise<ShownProduct | null> {
  const kept = ctx.memory.of(held);
  const before = kept.get(id);
  if (before?.state === state) return before;
  const found = withEtag(await products.bySlug(ctx, card.slug), updatedAt);
  kept.delete(id);
  if (!found) return null;
  for (const oldest of kept.keys()) {
    if (kept.size < MOST_KEPT) break;
    kept.delete(oldest);
  }
  kept.set(id, { ...found, state });
  return found;
}

const withEtag = (product: ShopProduct | null, updatedAt: string): ShownProduct | null =>
  product && {
    product,
    updatedAt,
    etag: `"${sha256Hex(JSON.stringify(product)).slice(0, 32)}"`,
  };
