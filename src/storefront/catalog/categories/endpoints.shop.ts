/** Categories for everybody (storefront-api.md, D). */
import { z } from 'zod';
import { sha256Hex } from '#kernel/crypto.ts';
import { type Endpoint, endpoint, type Reply } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { listShown, shownCategory } from './shop.ts';
import { CategoryPageView, CategoryView, categoryPageView, categoryTree } from './view.ts';

/** An answer that everybody gets, and that need not be sent to whoever has it (storefront-api.md 1.9). */
const shared = <T>(data: T): Reply<{ data: T }> => ({
  status: 200,
  body: { data },
  head: {
    cache: {
      by: 'public',
      maxAgeSeconds: 0,
      etag: `"${sha256Hex(JSON.stringify(data)).slice(0, 32)}"`,
    },
  },
});

export const shopCategoryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/categories',
    summary: 'The categories of the shop as a tree',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: z.array(CategoryView) }) },
    handle: async (ctx) => shared(categoryTree(await listShown(ctx))),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/categories/{slug}',
    summary: 'One category with what it is under and what is under it',
    scope: null,
    limit: null,
    params: z.object({ slug: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: CategoryPageView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const found = await shownCategory(ctx, params.slug);
      if (!found) throw fail('NOT_FOUND', 'There is no such category in the shop');
      return shared(categoryPageView(found));
    },
  }),
];
