/** Paying by a mailed link, and sending one (storefront-api.md, F and V). */

import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { requireAccepted } from '../checkout/index.ts';
import { PlacedView, placedView } from '../checkout/view.ts';
import * as links from './pay-links.ts';

const PayLinkBody = later(() =>
  z
    .object({
      token: text({ min: 1, max: 100 }),
      processor: text({ min: 1, max: 30 }),
      source_id: optional(text({ min: 1, max: 500 })),
      expected_total_cents: optional(integer(0, 100_000_000_000)),
    })
    .meta({ id: 'PayLinkBody' }),
);
type PayLinkSent = z.output<typeof PayLinkBody>;

const SendBody = later(() =>
  z.object({ email: optional(shopperEmail()) }).meta({ id: 'PaymentLinkSendBody' }),
);
const PaymentLinkView = later(() =>
  z.object({ url: z.string(), expires_at: z.string() }).meta({ id: 'PaymentLink' }),
);

/** The token is part of the body: what it says is wrong with the input. */
const inBody = (error: unknown): never => {
  if (!(error instanceof AppError) || error.details.reason !== 'TOKEN_INVALID') throw error;
  throw fail('VALIDATION_ERROR', error.message, { details: error.details });
};

const pay = (ctx: Parameters<typeof links.pay>[0], body: PayLinkSent) =>
  links.pay(ctx, body.token, {
    processor: body.processor,
    sourceId: body.source_id ?? null,
    expectedTotalCents: body.expected_total_cents,
  });

export const payLinkEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/checkout/pay-link',
    summary: 'Pay an order with the emailed link',
    description: 'Safe to repeat: while a payment of the order is open, it is returned.',
    scope: null,
    limit: limits.checkout,
    body: PayLinkBody,
    replies: { 200: z.object({ data: PlacedView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const placed = await pay(ctx, body).catch(inBody);
      requireAccepted(placed);
      return ok({ data: await placedView(ctx, placed) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/store/orders/{id}/payment-link',
    summary: 'Email a link to pay an order; earlier links of the order stop working',
    scope: 'orders:write',
    limit: null,
    params: z.object({ id: text({ min: 1, max: 255 }) }),
    body: SendBody,
    bodyOptional: true,
    replies: { 200: z.object({ data: PaymentLinkView }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params: { id }, body }) => {
      const { url, expiresAt } = await links.send(ctx, id, body.email ?? null);
      return ok({ data: { url, expires_at: expiresAt } });
    },
  }),
];
