import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { type Line, MOST_ORDERED, type OrderLine, type RelationsLine } from './line.ts';
import type { Taken } from './places.ts';

interface Place {
  readonly id: string;
  readonly slug: string;
}

/** What is shown beside products, a line for each that has something. */
export async function relationLines(ctx: Ctx, page: readonly products.Product[]): Promise<Line[]> {
  const found = await products.relationsFrom(
    ctx,
    page.map(({ id }) => id),
  );
  const byProduct = Map.groupBy(found, (one) => one.product_id);
  return page.flatMap(({ id, slug }): Line[] => {
    const items = (byProduct.get(id) ?? []).map((one) => ({ slug: one.slug, as: one.kind }));
    return items.length === 0 ? [] : [{ kind: 'relations', slug, items }];
  });
}

/** The order of a place, where it is another one than that in which its products were made. */
export async function orderLines(ctx: Ctx, of: OrderLine['of'], { id, slug }: Place): Promise<Line[]> {
  const ids = await products.productsIn(ctx, of, id);
  const found = new Map((await products.shopProductRows.of(ctx, ids)).map((one) => [one.id, one]));
  const placed = ids.flatMap((one) => found.get(one) ?? []);
  const isMadeSo = placed.every((one, at) => at === 0 || isBefore(placed[at - 1] ?? one, one));
  if (isMadeSo) return [];
  const slugs = placed.map((one) => one.slug);
  return slugs.flatMap((_slug, from): Line[] =>
    from % MOST_ORDERED === 0
      ? [{ kind: 'order', of, slug, from, products: slugs.slice(from, from + MOST_ORDERED) }]
      : [],
  );
}

type Made = Pick<products.Product, 'id' | 'createdAt'>;
const isBefore = (one: Made, other: Made): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;

/**
 * Shows products beside another one, as a line says; those that do not exist are left out and told of.
 *
 * @param isTrial lines before this one may make the products: none is missed
 * @throws AppError VALIDATION_ERROR when the product itself does not exist
 */
export function takeRelations(ctx: Ctx, line: RelationsLine, isTrial: boolean): Promise<Taken> {
  return ctx.tx(async (ctx) => {
    const known = await products.idsBySlug(ctx, [line.slug, ...line.items.map(({ slug }) => slug)]);
    const id = known.get(line.slug);
    if (id === undefined && isTrial) return { result: 'updated' };
    if (id === undefined) throw invalidField('slug', `product ${line.slug} does not exist`);
    const wanted = line.items.flatMap(({ slug, as }) => {
      const productId = known.get(slug);
      return productId === undefined ? [] : [{ productId, kind: as }];
    });
    const had = await products.listRelations(ctx, id);
    const isSame = idsIn(had.map((one) => [one.relatedId, one.kind])) === idsIn(wanted.map(Object.values));
    if (!isSame) await products.replaceRelations(ctx, id, { items: wanted });
    const missing = isTrial ? [] : line.items.flatMap(({ slug }) => (known.has(slug) ? [] : slug));
    return { result: isSame ? 'unchanged' : 'updated', warnings: missing.map(leftOut) };
  });
}

const idsIn = (pairs: readonly (readonly string[])[]): string => JSON.stringify(pairs);

const leftOut = (slug: string): string => `product ${slug} does not exist and was skipped`;

/**
 * Puts products of a place into an order; those that do not stand in it are told of.
 *
 * @param isTrial lines before this one may make the place and its products: none is missed
 * @throws AppError VALIDATION_ERROR for an unknown place, and for a collection that is filled by rules
 */
export function takeOrder(ctx: Ctx, line: OrderLine, isTrial: boolean): Promise<Taken> {
  const { of, slug, from = 0 } = line;
  return ctx.tx(async (ctx) => {
    const place = (await PLACES[of].listAll(ctx)).find((one) => one.slug === slug);
    if (!place && isTrial) return { result: 'updated' };
    if (!place) throw invalidField('slug', `${of} ${slug} does not exist`);
    const had = await products.productsIn(ctx, of, place.id);
    const known = await products.idsBySlug(ctx, line.products);
    const standing = new Set(had);
    const named = new Set(
      line.products.flatMap((one) => known.get(one) ?? []).filter((id) => standing.has(id)),
    );
    const others = had.filter((id) => !named.has(id));
    const productIds = [...others.slice(0, from), ...named, ...others.slice(from)];
    const isSame = productIds.join() === had.join();
    if (!isSame) await PLACES[of].replaceProducts(ctx, place.id, { productIds });
    const strange = isTrial ? [] : line.products.filter((one) => !named.has(known.get(one) ?? ''));
    return { result: isSame ? 'unchanged' : 'updated', warnings: strange.map((one) => notIn(one, of, slug)) };
  });
}

const PLACES = { category: categories, collection: collections } as const;

const notIn = (product: string, of: OrderLine['of'], slug: string): string =>
  `product ${product} is not in the ${of} ${slug} and was skipped`;
