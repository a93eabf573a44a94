import type { WebhookServiceName } from './service.ts';

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED'] as const;

/** SKIPPED: its webhook was disabled while it waited. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A receiver of events, as staff sees it: without its secrets. */
export interface Webhook {
  id: string;
  service: WebhookServiceName;
  tenantId: string;
  name: string;
  url: string;
  /** Names, or `*`. */
  events: string[];
  /** null takes the events of all products. */
  productIds: string[] | null;
  /** Whether e-mail addresses in payloads are replaced by null (D124). */
  redactEmail: boolean;
  /** Names of the headers that are sent beside the documented ones; their values may be credentials. */
  headerNames: string[];
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: string | null;
  /** Deliveries in a row that failed; 20 disable it (D119). */
  consecutiveFailures: number;
  /** Until when the secret before the last rotation signs too. */
  previousUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

/** One event on its way to one webhook. */
export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  event: string;
  /** Id of what the event happened to. */
  subject: string;
  state: DeliveryState;
  isTest: boolean;
  /** 0 for the first sending, one more with every redelivery. */
  run: number;
  /** Attempts of this run that have ended. */
  attempts: number;
  nextAttemptAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
  lastMs: number | null;
  /** Time of the event. */
  createdAt: string;
  endedAt: string | null;
}

/** One request to a receiver and what came back. */
export interface Attempt {
  run: number;
  /** 1, 2, 3 … within its run: what X-Webhook-Attempt said. */
  n: number;
  /** When it began. */
  at: string;
  ms: number;
  status: number | null;
  error: string | null;
  /** As sent; signatures and the webhook's own headers are redacted. */
  requestHeaders: Record<string, string>;
  responseHeaders: Record<string, string> | null;
  /** The first 2 KB, redacted. */
  responseExcerpt: string | null;
}
