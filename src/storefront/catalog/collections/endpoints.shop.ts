/** Collections for everybody (storefront-api.md, D). */

import { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { queryInteger, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { listShown, shownCollection } from './shop.ts';
import { CollectionView, collectionView } from './view.ts';

export const shopCollectionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/collections',
    summary: 'List the collections of the shop',
    scope: null,
    limit: null,
    query: later(() =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      }),
    ),
    replies: { 200: z.object({ data: z.array(CollectionView), pagination: ShopPagination }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query: { page, per_page: perPage } }) => {
      const all = await listShown(ctx);
      const from = (page - 1) * perPage;
      return publicAnswer({
        data: all.slice(from, from + perPage).map(collectionView),
        pagination: shopPagination(page, perPage, all.length),
      });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/collections/{slug}',
    summary: 'Show a collection',
    scope: null,
    limit: null,
    params: z.object({ slug: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: CollectionView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const found = await shownCollection(ctx, params.slug);
      if (!found) throw fail('NOT_FOUND', `collection ${params.slug} does not exist`);
      return publicAnswer({ data: collectionView(found.collection) });
    },
  }),
];
