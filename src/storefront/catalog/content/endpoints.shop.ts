/** Pages for everybody (storefront-api.md, A). */
import { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { shownPage } from './shop.ts';
import { PageView, pageView } from './view.ts';

export const shopPageEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/pages/{slug}',
    summary: 'Show a page of the shop, such as its terms',
    scope: null,
    limit: null,
    params: z.object({ slug: text({ min: 1, max: 255 }) }),
    replies: { 200: z.object({ data: PageView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const page = await shownPage(ctx, params.slug);
      if (!page) throw fail('NOT_FOUND', `page ${params.slug} does not exist`);
      return publicAnswer({ data: pageView(page) });
    },
  }),
];
