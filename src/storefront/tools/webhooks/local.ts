import type { StoredEvent } from '#kernel/context.ts';
import type { SendingService } from '#platform/webhooks/index.ts';
import { isToldEvent } from '#storefront/contract/events.ts';
import { shopNameOf, webhookAttempts, webhookTimeoutMs } from '#storefront/contract/settings.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The body of an event: exactly event, timestamp and data, as staff see the subject, with the id of the event, by which
 * receivers tell repetitions (storefront-domain 18). `timestamp` is the time of the event, equal in every attempt.
 */
const payload = ({ type, at, id, data }: StoredEvent): Record<string, unknown> => ({
  event: type,
  timestamp: at,
  data: { ...data, event_id: id },
});

/** How events of the shop reach their receivers (storefront-domain 18). */
export const storeSending: SendingService = {
  name: 'store',
  subscribes: (names, type) => isToldEvent(type) && (names.includes('*') || names.includes(type)),
  // Its webhooks name no products.
  concerns: async () => true,
  payload,
  plan: {
    delaysSeconds: [0, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR],
    retries: (status) => status !== 410,
    endsWebhook: (status) => status === 410,
  },
  terms: (ctx) => ({
    attempts: ctx.settings.get(webhookAttempts),
    timeoutMs: ctx.settings.get(webhookTimeoutMs),
    sender: shopNameOf(ctx),
  }),
  excerptBytes: 2048,
};
