import type { WebhookService } from '#platform/webhooks/index.ts';
import { type BuiltEventName, builtEvents, meaningOf, whyNotBuilt } from '#storefront/contract/events.ts';
import { EXAMPLE_EVENT_ID, examples } from './examples.ts';
import { storeSending } from './local.ts';

const TEST_EVENT = 'webhook.test';

/** Webhooks of the shop, as they are worked with (storefront-domain 18). */
export const storeWebhooks: WebhookService = {
  ...storeSending,
  events: builtEvents.map((name) => ({
    name,
    description: meaningOf(name),
    example: { ...examples[name], event_id: EXAMPLE_EVENT_ID },
  })),
  defaultEvents: ['*'],
  whyNotOffered: whyNotBuilt,
  testEvent: TEST_EVENT,
  testData: (event, { id, note }) =>
    event === TEST_EVENT ? { webhook_id: id, note } : { ...examples[event as BuiltEventName] },
};
