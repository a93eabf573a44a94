/** Returns of customers (storefront-api.md, H). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok, type Reply } from '#kernel/http/endpoint.ts';
import { count, oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { IdempotencyKeyHeaders, idempotencyKeyOf } from '#platform/idempotency/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { photoUpload } from '#storefront/people/photos/index.ts';
import { cancel, track } from './decide.ts';
import { write } from './messages.ts';
import { ownOrder, ownReturn, ownReturns } from './own.ts';
import { ReasonView, reasonView } from './reason-view.ts';
import { offeredReasons } from './reasons.ts';
import { RETURN_STATES, type Return } from './record.ts';
import { request } from './request.ts';
import { returnableLines } from './returnable.ts';
import { MessageBody, ReturnBody, ShippingBody } from './schemas.ts';
import { messageView, ReturnMessageView, ReturnView, returnView, wholeReturn } from './view.ts';

const PREFIX = '/api/shop/returns';
const params = z.object({ return_number: text({ min: 1, max: 40 }) });
const Answer = z.object({ data: ReturnView });
const own = { scope: null, customer: true } as const;

const shown = async (ctx: Ctx, one: Return): Promise<Reply<z.output<typeof Answer>>> =>
  ok({ data: returnView(await wholeReturn(ctx, one)) });

const ReturnableView = later(() =>
  z
    .object({
      order_item_id: z.string(),
      name: z.string(),
      returnable_quantity: count(),
      deadline: z.string().nullable().describe('null while nothing was shipped'),
      unit_refund_cents: count(),
      why: z
        .enum(['cancelled', 'not_sent', 'not_paid', 'gift_card', 'none_left', 'too_late'])
        .nullable()
        .describe('Why it cannot be returned'),
    })
    .meta({ id: 'ReturnableItem' }),
);

const reading: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/return-reasons',
    summary: 'List the return reasons',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: z.array(ReasonView) }) },
    // Of a shop that takes nothing back.
    errors: ['NOT_FOUND'],
    handle: async (ctx) => ok({ data: (await offeredReasons(ctx)).map(reasonView) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/orders/{order_number}/returnable',
    summary: 'Show what can be returned from an order, and until when',
    ...own,
    limit: null,
    params: z.object({ order_number: text({ min: 1, max: 40 }) }),
    replies: { 200: z.object({ data: z.array(ReturnableView) }) },
    errors: ['NOT_FOUND'],
    async handle(ctx, { params: { order_number: number } }) {
      const lines = await returnableLines(ctx, await ownOrder(ctx, number));
      return ok({
        data: lines.map(({ item, quantity, deadline, unitRefundCents, why }) => ({
          order_item_id: item.id,
          name: item.variantTitle === null ? item.title : `${item.title} (${item.variantTitle})`,
          returnable_quantity: quantity,
          deadline,
          unit_refund_cents: unitRefundCents,
          why,
        })),
      });
    },
  }),
];

const list = endpoint({
  method: 'get',
  path: PREFIX,
  summary: 'List the returns of the customer, newest first',
  ...own,
  limit: null,
  query: later(() =>
    z.object({
      page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
      per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      status: optional(oneOf(RETURN_STATES)),
    }),
  ),
  replies: { 200: z.object({ data: z.array(ReturnView), pagination: ShopPagination }) },
  errors: ['VALIDATION_ERROR'],
  async handle(ctx, { query: { page, per_page: perPage, status } }) {
    const found = await ownReturns(ctx, { status, offset: (page - 1) * perPage, limit: perPage });
    const data = await Promise.all(found.items.map(async (one) => returnView(await wholeReturn(ctx, one))));
    return ok({ data, pagination: shopPagination(page, perPage, found.total) });
  },
});

async function asked(ctx: Ctx, body: z.output<typeof ReturnBody>, onceKey: string | undefined) {
  const order = await ownOrder(ctx, body.order_number);
  const items = body.items.map((item) => ({
    orderItemId: item.order_item_id,
    quantity: item.quantity,
    reasonId: item.reason_id,
    note: item.note || undefined,
    media: item.media_ids,
  }));
  const { resolution, exchange_variant_id: exchangeVariantId } = body;
  return request(ctx, order, { items, resolution, exchangeVariantId, onceKey }, { by: 'customer' });
}

const changing: readonly Endpoint[] = [
  photoUpload(`${PREFIX}/uploads`, 'Upload a photo for a return', 'return'),
  endpoint({
    method: 'post',
    path: PREFIX,
    summary: 'Request a return of items of an order',
    ...own,
    limit: limits.returnRequest,
    headers: IdempotencyKeyHeaders,
    body: ReturnBody,
    replies: { 201: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { body, headers }) {
      const one = await asked(ctx, body, idempotencyKeyOf(headers));
      return { status: 201, body: { data: returnView(await wholeReturn(ctx, one)) } };
    },
  }),
  endpoint({
    method: 'post',
    path: `${PREFIX}/{return_number}/cancel`,
    summary: 'Cancel a return before any of it has arrived',
    ...own,
    limit: limits.returnRequest,
    params,
    replies: { 200: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params: { return_number: number } }) {
      const { id } = await ownReturn(ctx, number);
      return shown(ctx, await cancel(ctx, id));
    },
  }),
  endpoint({
    method: 'post',
    path: `${PREFIX}/{return_number}/shipping`,
    summary: 'Add the tracking of an approved return',
    ...own,
    limit: limits.returnRequest,
    params,
    body: ShippingBody,
    replies: { 200: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params: { return_number: number }, body }) {
      const { id } = await ownReturn(ctx, number);
      const { carrier, tracking_number: trackingNumber } = body;
      return shown(ctx, await track(ctx, id, { carrier, trackingNumber }));
    },
  }),
  endpoint({
    method: 'post',
    path: `${PREFIX}/{return_number}/messages`,
    summary: 'Send a message about a return',
    ...own,
    limit: limits.returnRequest,
    params,
    body: MessageBody,
    replies: { 201: z.object({ data: ReturnMessageView }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params: { return_number: number }, body: { body, media_ids: media } }) {
      const { id } = await ownReturn(ctx, number);
      const message = await write(ctx, id, 'customer', { body, media });
      return { status: 201, body: { data: messageView(message) } };
    },
  }),
];

export const returnEndpoints: readonly Endpoint[] = [
  ...reading,
  list,
  endpoint({
    method: 'get',
    path: `${PREFIX}/{return_number}`,
    summary: 'Show a return of the customer with its messages',
    ...own,
    limit: null,
    params,
    replies: { 200: Answer },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params: { return_number: number } }) => shown(ctx, await ownReturn(ctx, number)),
  }),
  ...changing,
];
