/** What belongs to one product (storefront-api.md, D). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { queryInteger, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { relatedIds } from '../products/index.ts';
import { ProductCardView, ShopProductView } from '../products/view.ts';
import { optionsOf } from './option-query.ts';
import { cardsOf } from './shelf.ts';
import { shownProduct } from './shown.ts';
import { folded } from './words.ts';

const MOST_RELATED = 12;
const product = '/api/shop/products/{slug}';
const Params = z.object({ slug: text({ min: 1, max: 255 }) });

async function productOf(ctx: Ctx, slug: string) {
  const found = await shownProduct(ctx, slug);
  if (!found) throw fail('NOT_FOUND', `product ${slug} does not exist`);
  return found;
}

export const shopProductEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: product,
    summary: 'Show a product with its options and variants',
    scope: null,
    limit: null,
    params: Params,
    replies: { 200: z.object({ data: ShopProductView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const found = await productOf(ctx, params.slug);
      return publicAnswer({ data: found.product }, found.etag);
    },
  }),
  endpoint({
    method: 'get',
    path: `${product}/variants`,
    summary: 'List the variants of a product, filtered by option values',
    scope: null,
    limit: null,
    params: Params,
    query: z.object({}).catchall(z.unknown()),
    replies: { 200: later(() => z.object({ data: ShopProductView.shape.variants })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => {
      const { variants } = (await productOf(ctx, params.slug)).product;
      const wanted = Object.entries(optionsOf(query)).map(
        ([name, values]) => [name, values.map(folded)] as const,
      );
      const data = variants.filter(({ option_values: own }) =>
        wanted.every(([name, values]) => values.includes(folded(own[name] ?? ''))),
      );
      return publicAnswer({ data });
    },
  }),
  endpoint({
    method: 'get',
    path: `${product}/related`,
    summary: 'List the related products of a product',
    scope: null,
    limit: null,
    params: Params,
    query: later(() =>
      z.object({ limit: queryInteger({ min: 1, max: MOST_RELATED, fallback: MOST_RELATED }) }),
    ),
    replies: { 200: z.object({ data: z.array(ProductCardView) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => {
      const { id } = (await productOf(ctx, params.slug)).product;
      const cards = await cardsOf(ctx, await relatedIds(ctx, id));
      return publicAnswer({ data: cards.slice(0, query.limit) });
    },
  }),
];
