import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { webhookNeeds } from './needs.ts';
import { storeWebhooks } from './service.ts';

const EventView = later(() =>
  z
    .object({
      event: z.string(),
      description: z.string(),
      example: z.object({ event: z.string(), timestamp: instant(), data: z.record(z.string(), z.unknown()) }),
    })
    .meta({ id: 'StoreWebhookEvent' }),
);

/** The events that webhooks of the shop can subscribe to (storefront-api.md, AM). */
export const webhookEventEndpoint: Endpoint = endpoint({
  method: 'get',
  path: '/api/store/webhooks/events',
  summary: 'List the events that webhooks can subscribe to, each with an example of its body',
  scope: webhookNeeds.read,
  orScope: webhookNeeds.orRead,
  limit: null,
  replies: { 200: z.object({ data: z.array(EventView) }) },
  errors: [],
  handle: async (ctx) =>
    ok({
      data: storeWebhooks.events.map(({ name, description, example }) => ({
        event: name,
        description,
        example: { event: name, timestamp: ctx.now(), data: example },
      })),
    }),
});
