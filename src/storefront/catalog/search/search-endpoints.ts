/** What shoppers find by words (storefront-api.md, D). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { later } from '#kernel/sharing.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { ProductCardView } from '../products/view.ts';
import { correctionsOf } from './corrections.ts';
import { productList } from './list.ts';
import { categoriesFor, pagesFor } from './matching-places.ts';

const SUGGESTED_PRODUCTS = 5;
const SUGGESTED_CATEGORIES = 3;

/** Of the page and of the API together. */
export const searchLimit: RateLimit = { bucket: 'shop-search', max: 60, windowSeconds: 60, by: 'ip' };
/** Somebody who types asks at each pause. */
const suggestLimit: RateLimit = { bucket: 'shop-suggest', max: 120, windowSeconds: 60, by: 'ip' };

const Query = later(() =>
  z.object({
    q: text({ min: 1, max: 200 }),
    page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
    per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
    type: optional(oneOf(['products', 'pages'])),
  }),
);

async function search(ctx: Ctx, { q, page, per_page: perPage, type = 'products' }: z.output<typeof Query>) {
  if (type === 'pages') return searchPages(ctx, q, page, perPage);
  const found = await productList(ctx, { q, sort: 'relevance', page, perPage });
  // Blanks look for nothing, rather than for everything.
  const isEmpty = q.trim() === '';
  return publicAnswer({
    data: isEmpty ? [] : [...found.cards],
    pagination: shopPagination(page, perPage, isEmpty ? 0 : found.total),
    corrections: isEmpty ? [] : await correctionsOf(ctx, q, found),
  });
}

async function searchPages(ctx: Ctx, q: string, page: number, perPage: number) {
  const found = await pagesFor(ctx, q);
  const data = found
    .slice((page - 1) * perPage, page * perPage)
    .map(({ id, slug, title }) => ({ id, slug, title }));
  const corrections: string[] = [];
  return publicAnswer({ data, pagination: shopPagination(page, perPage, found.length), corrections });
}

/** A page that staff wrote, as a search finds it. */
const PageHit = later(() =>
  z.object({ id: z.string(), slug: z.string(), title: z.string() }).meta({ id: 'PageHit' }),
);

const Suggested = later(() =>
  z
    .object({
      products: z.array(ProductCardView),
      categories: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string() })),
    })
    .meta({ id: 'SearchSuggestions' }),
);

async function suggest(ctx: Ctx, q: string): Promise<z.output<typeof Suggested>> {
  const isEmpty = q.trim() === '';
  const { cards } = await productList(ctx, { q, sort: 'relevance', page: 1, perPage: SUGGESTED_PRODUCTS });
  const categories = await categoriesFor(ctx, q, SUGGESTED_CATEGORIES);
  return {
    products: isEmpty ? [] : [...cards],
    categories: categories.map(({ id, name, slug }) => ({ id, name, slug })),
  };
}

export const shopSearchEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/search',
    summary: 'Search products or pages, best match first',
    scope: null,
    limit: searchLimit,
    query: Query,
    replies: {
      200: later(() =>
        z.object({
          data: z.union([z.array(ProductCardView), z.array(PageHit)]),
          pagination: ShopPagination,
          corrections: z.array(z.string()),
        }),
      ),
    },
    errors: ['VALIDATION_ERROR'],
    handle: (ctx, { query }) => search(ctx, query),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/search/suggest',
    summary: 'Suggest products and categories as the shopper types',
    scope: null,
    limit: suggestLimit,
    query: later(() => z.object({ q: text({ min: 2, max: 200 }) })),
    replies: { 200: z.object({ data: Suggested }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => publicAnswer({ data: await suggest(ctx, query.q) }),
  }),
];
