/** Placing and paying an order (storefront-api.md, F). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok, type Reply } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { doOnce, IdempotencyKeyHeaders, idempotencyKeyOf } from '#platform/idempotency/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { confirm } from '#storefront/orders/payments/index.ts';
import * as carts from '../cart/index.ts';
import { noteOrdered } from './ordered-here.ts';
import { ownOrder } from './own-order.ts';
import { placeOrder } from './place.ts';
import { requireAccepted, retry } from './retry.ts';
import { ConfirmBody, PlaceBody, type PlaceSent, RetryBody } from './schemas.ts';
import { refuseSavedMethods, writeDelivery } from './state.ts';
import type { Placed } from './types.ts';
import { PlacedView, placedView } from './view.ts';
import { waysOf } from './ways.ts';

const PREFIX = '/api/store/checkout';
const shopper = { scope: null, session: 'token', limit: null, errors: ['VALIDATION_ERROR'] } as const;

const Placing = { 200: z.object({ data: PlacedView }), 201: z.object({ data: PlacedView }) };

async function placed(ctx: Ctx, found: Placed): Promise<Reply<{ data: z.output<typeof PlacedView> }>> {
  if (found.order.placedAt === null) requireAccepted(found);
  return { status: found.isReplay ? 200 : 201, body: { data: await placedView(ctx, found) } };
}

async function place(ctx: Ctx, visitor: Visitor | null, body: PlaceSent) {
  const owner = carts.ownerOf(visitor);
  refuseSavedMethods(body);
  await writeDelivery(ctx, owner, body, { ordering: true });
  const found = await placeOrder(
    ctx,
    owner,
    {
      processor: body.processor ?? null,
      sourceId: body.source_id ?? null,
      expectedTotalCents: body.expected_total_cents,
      termsAccepted: body.terms_accepted ?? false,
    },
    waysOf(ctx),
  );
  noteOrdered(visitor, found);
  return placed(ctx, found);
}

export const payingEndpoints: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'post',
    path: PREFIX,
    summary: 'Place the order',
    description:
      'Safe to repeat: a cart becomes one order, and repeating the request returns that order and its payment.',
    limit: limits.checkout,
    headers: IdempotencyKeyHeaders,
    body: PlaceBody,
    replies: Placing,
    handle: async (ctx, { body, headers, visitor }) => {
      const owner = carts.ownerOf(visitor);
      const key = idempotencyKeyOf(headers);
      carts.markSession(ctx, visitor);
      if (key === undefined) return place(ctx, visitor, body);
      // Guests share one actor: their keys are those of their session (storefront-settled Z5).
      const operation = `POST ${PREFIX} ${owner.sessionKey ?? ''}`;
      const answer = await doOnce(ctx, { key, operation, request: body }, (ctx) => place(ctx, visitor, body));
      return answer as Reply<{ data: z.output<typeof PlacedView> }>;
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/confirm`,
    summary: 'Confirm a payment after 3-D Secure or after paying at the processor',
    body: ConfirmBody,
    replies: { 200: Placing[200] },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) => {
      const { id } = await ownOrder(ctx, carts.ownerOf(visitor), body.order_number);
      const settled = await confirm(ctx, id, body.payment_id);
      return placed(ctx, { ...settled, isReplay: true });
    },
  }),
  endpoint({
    ...shopper,
    method: 'get',
    path: `${PREFIX}/status/{order_number}`,
    summary: 'Show the payment status of an order',
    params: z.object({ order_number: text({ min: 1, max: 40 }) }),
    replies: {
      200: later(() =>
        z.object({ data: z.object({ order_status: z.string(), payment_status: z.string() }) }),
      ),
    },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params, visitor }) => {
      const { status, paymentStatus } = await ownOrder(ctx, carts.ownerOf(visitor), params.order_number);
      return ok({ data: { order_status: status, payment_status: paymentStatus } });
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/retry`,
    summary: 'Pay an order whose payment was declined',
    limit: limits.checkout,
    body: RetryBody,
    replies: Placing,
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) => {
      refuseSavedMethods(body);
      const input = {
        processor: body.processor,
        sourceId: body.source_id ?? null,
        expectedTotalCents: body.expected_total_cents,
      };
      const owner = carts.ownerOf(visitor);
      const found = await retry(ctx, owner, body.order_number, input, waysOf(ctx));
      noteOrdered(visitor, found);
      return placed(ctx, found);
    },
  }),
];
