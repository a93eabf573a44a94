/** The catalogue for everybody (storefront-api.md, D). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { integer, oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { shownCategory } from '../categories/index.ts';
import { shownCollection } from '../collections/index.ts';
import { ProductCardView } from '../products/view.ts';
import { productList, SORTS } from './list.ts';
import { optionsOf, requireFewChosen, values } from './option-query.ts';
import { FacetsView, facetsView } from './view.ts';

const MOST_CENTS = 100_000_000_000;
const cents = () =>
  optional(
    z.preprocess(
      (value) => (/^\d{1,12}$/.test(String(value)) ? Number(value) : value),
      integer(0, MOST_CENTS),
    ),
  );
const yes = () => optional(oneOf(['true', 'false', '1', '0']));
const some = () => optional(text({ min: 1, max: 500 }));

const Query = later(() =>
  z
    .object({
      page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
      per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      q: optional(text({ max: 200 })),
      category: some(),
      collection: some(),
      tag: some(),
      brand: some(),
      min_price: cents(),
      max_price: cents(),
      on_sale: yes(),
      in_stock: yes(),
      sort: optional(oneOf(SORTS)),
    })
    .catchall(z.unknown()),
);

const isYes = (text: string | undefined): boolean => text === 'true' || text === '1';

type Found = { readonly productIds: ReadonlySet<string> } | null;
const places = { category: shownCategory, collection: shownCollection };

/** Products of any of the places; undefined when none is named. @throws AppError VALIDATION_ERROR */
async function productsIn(
  ctx: Ctx,
  kind: keyof typeof places,
  slugs: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  if (slugs.length === 0) return undefined;
  const all = new Set<string>();
  for (const slug of slugs) {
    const found: Found = await places[kind](ctx, slug);
    if (!found) throw invalidField(kind, `${kind} ${slug} does not exist`);
    for (const id of found.productIds) all.add(id);
  }
  return all;
}

/** Products that a category and a collection both hold, as far as they are named. */
async function productsWithin(ctx: Ctx, { category, collection }: z.output<typeof Query>) {
  const inCategories = await productsIn(ctx, 'category', values(category));
  const inCollections = await productsIn(ctx, 'collection', values(collection));
  if (!inCategories || !inCollections) return inCategories ?? inCollections;
  return new Set([...inCollections].filter((id) => inCategories.has(id)));
}

/** A collection that is asked for alone begins with its own order. */
async function ownSort(ctx: Ctx, { collection, category, q }: z.output<typeof Query>) {
  const [slug, ...others] = values(collection);
  if (slug === undefined || others.length > 0 || category !== undefined || q !== undefined) return undefined;
  const sort = (await shownCollection(ctx, slug))?.collection.sort;
  return sort === 'manual' ? undefined : sort;
}

async function list(ctx: Ctx, query: z.output<typeof Query>) {
  const { page, per_page: perPage, q, tag, brand, min_price, max_price, on_sale, in_stock, sort } = query;
  requireFewChosen(query);
  const found = await productList(ctx, {
    q,
    within: await productsWithin(ctx, query),
    tags: values(tag),
    brands: values(brand),
    minPrice: min_price,
    maxPrice: max_price,
    onSale: isYes(on_sale),
    inStock: isYes(in_stock),
    options: optionsOf(query),
    sort: sort ?? (await ownSort(ctx, query)),
    page,
    perPage,
  });
  const pagination = shopPagination(page, perPage, found.total);
  return publicAnswer({ data: [...found.cards], pagination, facets: facetsView(found.facets) });
}

export const shopCatalogEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/products',
    summary: 'List products of the shop, with their available filters',
    scope: null,
    limit: null,
    query: Query,
    replies: {
      200: z.object({ data: z.array(ProductCardView), pagination: ShopPagination, facets: FacetsView }),
    },
    errors: ['VALIDATION_ERROR'],
    handle: (ctx, { query }) => list(ctx, query),
  }),
];
