import { change, defineEvents, type NameOf } from '#kernel/events.ts';
import { webhookRecord } from './record.ts';
import type { WebhookServiceName } from './service.ts';

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
    WEBHOOK_CREATED: change<Told>(),
    WEBHOOK_UPDATED: change<Told>(),
    WEBHOOK_ENABLED: change<Told>(),
    WEBHOOK_DISABLED: change<Told>(),
    WEBHOOK_DELETED: change<Told>(),
    WEBHOOK_SECRET_ROTATED: change<Told>(),
    WEBHOOK_REPLAYED: change<Told>(),
  },
  { target: 'webhooks', record: webhookRecord },
);

/** The resource by which staff find the webhooks of each service, for the audit log. */
export const resourceOf: Readonly<Record<WebhookServiceName, string>> = {
  license: 'webhooks',
  store: 'store-webhooks',
};

export type WebhookEventName = NameOf<typeof webhookEvents>;
