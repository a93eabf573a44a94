import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { shopProductRows } from '../queries.ts';
import { PlacedProducts, type PlacedProductsInput } from '../schemas.ts';
import { fillablePlaces } from './queries.ts';
import * as repo from './repository.ts';

export type { PlaceKind } from './repository.ts';
export { productsIn } from './repository.ts';

/**
 * Puts products into a category or a collection in this order, in place of those that it has. Whoever owns the place has
 * locked it.
 *
 * @returns whether that changed anything
 * @throws AppError VALIDATION_ERROR for an unknown product, and for one named twice
 */
export async function placeProducts(
  ctx: Ctx,
  kind: repo.PlaceKind,
  placeId: string,
  input: PlacedProductsInput,
): Promise<boolean> {
  const { productIds } = checkInput(PlacedProducts, input);
  const known = new Set((await shopProductRows.of(ctx, productIds)).map((product) => product.id));
  const seen = new Set<string>();
  for (const [at, productId] of productIds.entries()) {
    const path = `product_ids.${at}`;
    if (!known.has(productId)) throw invalidField(path, `product ${productId} does not exist`);
    if (seen.has(productId)) throw invalidField(path, `product ${productId} appears twice`);
    seen.add(productId);
  }
  const before = await repo.productsIn(ctx, kind, placeId);
  if (before.join() === productIds.join()) return false;
  await referring('product_ids', 'one of the products was deleted in the meantime; leave it out', () =>
    repo.replaceProductsIn(ctx, kind, placeId, productIds),
  );
  return true;
}

/** Where a product shall stand: of each kind in these and no others; absent leaves it where it is. */
interface Wanted {
  readonly categoryIds?: readonly string[] | undefined;
  readonly collectionIds?: readonly string[] | undefined;
}

/**
 * Puts a product into categories and collections, for a change that holds its lock. Into those that are new to it, it
 * comes last.
 *
 * @returns whether that changed anything
 * @throws AppError VALIDATION_ERROR for an unknown category, and for a collection that is unknown or filled by rules
 */
export async function putPlaces(
  ctx: Ctx,
  productId: string,
  { categoryIds, collectionIds }: Wanted,
): Promise<boolean> {
  const inCategories = await put(ctx, 'category', productId, categoryIds);
  return (await put(ctx, 'collection', productId, collectionIds)) || inCategories;
}

async function put(
  ctx: Ctx,
  kind: repo.PlaceKind,
  productId: string,
  ids: readonly string[] | undefined,
): Promise<boolean> {
  if (ids === undefined) return false;
  const wanted = new Set(ids);
  const had = await repo.placesOf(ctx, kind, productId);
  const from = had.filter((id) => !wanted.has(id));
  const to = [...wanted].filter((id) => !had.includes(id));
  if (from.length === 0 && to.length === 0) return false;
  const fillable = await fillablePlaces(ctx, kind, to);
  for (const id of to)
    if (!fillable.has(id)) {
      const problem = kind === 'category' ? 'does not exist' : 'does not exist, or is filled by its rules';
      throw invalidField(`${kind}_ids.${ids.indexOf(id)}`, `${kind} ${id} ${problem}`);
    }
  await referring(`${kind}_ids`, `one of them was deleted in the meantime; leave it out`, () =>
    repo.movePlaces(ctx, kind, productId, { from, to }),
  );
  return true;
}
