import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#licensing/contract/limits.ts';
import { receive } from './receive.ts';
import { InboundReply, NotKept } from './replies.ts';

/** D4. */
const MAX_BYTES = 1024 * 1024;

/** Any text: what is no id is answered like an unknown one. */
const ConfigParams = z.object({ configId: z.string() });

const SignatureHeaders = later(() =>
  z.object({
    'stripe-signature': z.string().optional(),
    'x-square-hmacsha256-signature': z.string().optional(),
    'x-webhook-signature': z.string().optional(),
    'x-signature': z.string().optional(),
  }),
);

export const inboxEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/webhooks/inbound/{configId}',
    summary: 'Receive an event from a payment processor',
    scope: null,
    limit: limits.inbound,
    params: ConfigParams,
    headers: SignatureHeaders,
    rawBody: { maxBytes: MAX_BYTES },
    replies: { 200: InboundReply, 503: NotKept },
    handle: async (ctx, { params, headers, raw }) =>
      ok(await receive(ctx, { configId: params.configId, raw, headers, ip: ctx.origin.ip ?? '' })),
  }),
];
