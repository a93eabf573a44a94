/** Returns of customers (storefront-api.md, H). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { ReasonView, reasonView } from './reason-view.ts';
import { offeredReasons } from './reasons.ts';

export const returnEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/return-reasons',
    summary: 'Reasons for which goods can be returned',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: z.array(ReasonView) }) },
    errors: [],
    handle: async (ctx) => ok({ data: (await offeredReasons(ctx)).map(reasonView) }),
  }),
];
