import { defineEvents, event, type NameOf } from '#kernel/events.ts';

/** What is told of a change, beside the name of the webhook and the reason that somebody gave. */
export interface WebhookFacts {
  url?: string;
  events?: readonly string[];
  enabled?: boolean;
  changed?: readonly string[];
  previousUntil?: string | null;
  reason?: string;
  /** Deliveries that were skipped, or queued again. */
  skipped?: number;
  queued?: number;
  delivery?: string;
  event?: string;
  from?: string | undefined;
  to?: string | undefined;
}

type Told = WebhookFacts & { name: string; note?: string };

/** What happens to webhooks. They are the platform's, so that no webhook is told of them. */
export const webhookEvents = defineEvents(
  'platform',
  {
    WEBHOOK_CREATED: event<Told>(),
    WEBHOOK_UPDATED: event<Told>(),
    WEBHOOK_ENABLED: event<Told>(),
    WEBHOOK_DISABLED: event<Told>(),
    WEBHOOK_DELETED: event<Told>(),
    WEBHOOK_SECRET_ROTATED: event<Told>(),
    WEBHOOK_REPLAYED: event<Told>(),
  },
  { target: 'webhooks' },
);

export type WebhookEventName = NameOf<typeof webhookEvents>;
