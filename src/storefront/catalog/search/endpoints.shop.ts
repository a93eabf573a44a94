/** The catalogue for everybody (storefront-api.md, D). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count, integer, oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { shownCategory } from '../categories/index.ts';
import { ProductCardView, ShopProductView } from '../products/view.ts';
import { productList, SORTS } from './list.ts';
import { shownProduct } from './shown.ts';
import { FacetsView, facetsView } from './view.ts';

const OPTION = 'option.';
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

const Query = z
  .object({
    page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
    per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
    q: optional(text({ max: 200 })),
    category: some(),
    tag: some(),
    brand: some(),
    min_price: cents(),
    max_price: cents(),
    on_sale: yes(),
    sort: optional(oneOf(SORTS)),
  })
  .catchall(z.unknown());

const Pagination = z
  .object({ page: count(), per_page: count(), total: count(), total_pages: count() })
  .meta({ id: 'ShopPagination' });

/** Alternatives stand in one parameter, joined by commas. */
const values = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const isYes = (text: string | undefined): boolean => text === 'true' || text === '1';

/** `option.Color=Red,Blue` of a query. */
function optionsOf(query: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const named = Object.entries(query).filter(([name]) => name.startsWith(OPTION));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(OPTION.length), values(String(value))]));
}

/** Products of any of the categories; undefined when none is named. @throws AppError VALIDATION_ERROR */
async function productsIn(ctx: Ctx, slugs: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  if (slugs.length === 0) return undefined;
  const all = new Set<string>();
  for (const slug of slugs) {
    const found = await shownCategory(ctx, slug);
    if (!found) throw invalidField('category', `there is no category ${slug}`);
    for (const id of found.productIds) all.add(id);
  }
  return all;
}

async function list(ctx: Ctx, query: z.output<typeof Query>) {
  const { page, per_page: perPage, q, category, tag, brand, min_price, max_price, on_sale, sort } = query;
  const found = await productList(ctx, {
    q,
    within: await productsIn(ctx, values(category)),
    tags: values(tag),
    brands: values(brand),
    minPrice: min_price,
    maxPrice: max_price,
    onSale: isYes(on_sale),
    options: optionsOf(query),
    sort,
    page,
    perPage,
  });
  const pagination = {
    page,
    per_page: perPage,
    total: found.total,
    total_pages: Math.ceil(found.total / perPage),
  };
  return publicAnswer({ data: [...found.cards], pagination, facets: facetsView(found.facets) });
}

export const shopCatalogEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/products',
    summary: 'Products of the shop: narrowed, sorted, and what they could be narrowed by',
    scope: null,
    limit: null,
    query: Query,
    replies: {
      200: z.object({ data: z.array(ProductCardView), pagination: Pagination, facets: FacetsView }),
    },
    errors: ['VALIDATION_ERROR'],
    handle: (ctx, { query }) => list(ctx, query),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/products/{slug}',
    summary: 'One product with its options and variants',
    scope: null,
    limit: null,
    params: z.object({ slug: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: ShopProductView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const found = await shownProduct(ctx, params.slug);
      if (!found) throw fail('NOT_FOUND', 'There is no such product in the shop');
      return publicAnswer({ data: found.product }, found.etag);
    },
  }),
];
