/** What everybody may write to the shop (storefront-api.md, A). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#storefront/contract/limits.ts';
import { receive } from './messages.ts';
import { MessageInput } from './schemas.ts';

/** Of a program that does not say in which language its form was read. */
const UNKNOWN_LANGUAGE = 'und';

export const messageEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/shop/contact',
    summary: 'Send a message to the shop',
    scope: null,
    limit: limits.contact,
    // Unknown fields of a body are ignored (Z2).
    body: MessageInput.meta({ id: 'ContactBody' }),
    replies: { 200: z.object({ data: z.object({ sent: z.literal(true) }) }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      await receive(ctx, body, UNKNOWN_LANGUAGE);
      return ok({ data: { sent: true } });
    },
  }),
];
