/** Orders of guests (storefront-api.md, G). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as orders from '../orders/index.ts';
import { shopperOrder, track } from './shopper-orders.ts';
import { ShopperOrderView, shopperOrderView, TrackedView, trackedView } from './view.ts';

const PREFIX = '/api/shop/orders';

export const shopperOrderEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${PREFIX}/track`,
    summary: 'Track an order by its number and email address',
    scope: null,
    limit: limits.trackOrder,
    body: z
      .object({ order_number: text({ min: 1, max: 40 }), email: text({ min: 1, max: 255 }) })
      .meta({ id: 'TrackOrderBody' }),
    replies: { 200: z.object({ data: TrackedView }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body: { order_number: number, email } }) =>
      ok({ data: trackedView(await track(ctx, { number, email })) }),
  }),
  endpoint({
    method: 'get',
    path: `${PREFIX}/by-token/{token}`,
    summary: 'Show an order by the token of the link in its emails',
    scope: null,
    limit: null,
    params: later(() => z.object({ token: z.string().max(200) })),
    replies: { 200: z.object({ data: ShopperOrderView }) },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const order = await orders.orderOfToken(ctx, params.token);
      return ok({ data: shopperOrderView(await shopperOrder(ctx, order)) });
    },
  }),
];
