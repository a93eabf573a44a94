/** What payment processors report (storefront-api.md, P). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { limits } from '#storefront/contract/limits.ts';
import type { NotificationHeaders } from '../processors/index.ts';
import { receive } from './inbox.ts';

/** A report of a processor is smaller by far. */
const MOST_BYTES = 256 * 1024;

export const paymentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/payments/webhook/{processor}',
    summary: 'Receive a notification of a payment processor',
    description:
      'Its signature is verified over the raw body. A repeated notification returns 200 and does nothing.',
    scope: null,
    limit: limits.paymentReport,
    rawBody: { maxBytes: MOST_BYTES },
    params: z.object({ processor: text({ min: 1, max: 30 }) }),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    replies: { 200: z.object({ data: z.object({ received: z.literal(true) }) }) },
    errors: ['AUTH_UNAUTHORIZED', 'NOT_FOUND'],
    handle: async (ctx, { params, headers, raw }) => {
      if ('fault' in raw) throw fail('VALIDATION_ERROR', 'the body could not be read, or is too large');
      await receive(ctx, params.processor, raw.bytes, headers as NotificationHeaders);
      return ok({ data: { received: true } });
    },
  }),
];
