/** Goods in exchange for returned ones (storefront-api.md, W). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { integer, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { StoreOrderView, storeOrderView } from '#storefront/orders/desk/view.ts';
import { StoreReturnView, storeReturnView } from '#storefront/orders/returns/view.ts';
import { exchange } from './exchanges.ts';

/** Goods that go out; at most as many lines as a cart has. */
export const ExchangeBody = later(() =>
  z
    .object({
      items: z
        .array(z.object({ variant_id: text({ min: 1, max: 30 }), quantity: integer(1, 999) }), {
          error: 'must be a list',
        })
        .min(1, 'add at least one item')
        .max(100, 'has more than 100 entries'),
    })
    .meta({ id: 'ReturnExchangeBody' }),
);

const Exchanged = later(() =>
  z
    .object({ ...StoreReturnView.shape, order: StoreOrderView.describe('The replacement order') })
    .meta({ id: 'StoreReturnExchanged' }),
);

export const exchangeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/returns/{id}/exchange',
    summary: 'Exchange returned items for others in a new order, paid with their value',
    description:
      'A difference is collected with a payment link or refunded. The return can be exchanged again if the new order stays unpaid or is canceled.',
    scope: 'orders:write',
    limit: null,
    params: z.object({ id: text({ min: 1, max: 255 }) }),
    body: ExchangeBody,
    replies: { 200: z.object({ data: Exchanged }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params: { id }, body }) {
      const items = body.items.map(({ variant_id: variantId, quantity }) => ({ variantId, quantity }));
      const { one, order } = await exchange(ctx, id, items);
      return ok({ data: { ...(await storeReturnView(one, ctx)), order: await storeOrderView(order, ctx) } });
    },
  }),
];
