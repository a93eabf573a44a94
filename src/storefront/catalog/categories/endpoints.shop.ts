/** Categories for everybody (storefront-api.md, D). */
import { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { listShown, shownCategory } from './shop.ts';
import { CategoryPageView, CategoryView, categoryPageView, categoryTree } from './view.ts';

export const shopCategoryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/categories',
    summary: 'List the categories of the shop as a tree',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: z.array(CategoryView) }) },
    handle: async (ctx) => publicAnswer({ data: categoryTree(await listShown(ctx)) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/categories/{slug}',
    summary: 'Show a category with its parents and children',
    scope: null,
    limit: null,
    params: z.object({ slug: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: CategoryPageView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const found = await shownCategory(ctx, params.slug);
      if (!found) throw fail('NOT_FOUND', `category ${params.slug} does not exist`);
      return publicAnswer({ data: categoryPageView(found) });
    },
  }),
];
