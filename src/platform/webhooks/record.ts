import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { tenantColumn } from '../tenants/index.ts';
import type { WebhookServiceName } from './service.ts';

/** Id prefixes of webhooks and of what is sent to them (D25). */
export const ids = defineIds({ webhook: 'whk', delivery: 'dlv' });

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED'] as const;

/** SKIPPED: its webhook was disabled while it waited. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const SERVICES = ['license', 'store'] as const satisfies readonly WebhookServiceName[];
const LONG = 10_000;

/** Receivers of events. Their secrets are bound to row and column by what seals them (M11). */
export const webhookRecord = record('webhooks', {
  id: column.id(ids.webhook),
  service: column.choice(SERVICES),
  tenantId: tenantColumn(),
  name: column.text(100, 1),
  url: column.text(2048, 1),
  /** Names, or `*`. */
  events: column.texts(100, 100),
  /** null takes the events of all products. */
  productIds: column.texts(30, 1000).nullable(),
  /** Whether e-mail addresses in payloads are replaced by null (D124). */
  redactEmail: column.flag(),
  headersEnc: column.text(LONG).nullable().secret(),
  secretEnc: column.text(LONG).secret(),
  previousSecretEnc: column.text(LONG).nullable().secret(),
  enabled: column.flag(),
  disabledAt: column.time().nullable(),
  disabledReason: column.text(500).nullable(),
  /** Deliveries in a row that failed; 20 disable it (D119). */
  consecutiveFailures: column.integer(0),
  /** Until when the secret before the last rotation signs too. */
  previousUntil: column.time().nullable(),
  createdBy: column.text(255).nullable().aside(),
  createdAt: column.time(),
  updatedAt: column.time(),
});

const KEPT = 'until days after their end that a setting names';

/** Events on their way to webhooks. */
export const deliveryRecord = record(
  'webhook_deliveries',
  {
    id: column.id(ids.delivery),
    webhookId: column.id(ids.webhook).references('webhooks'),
    tenantId: tenantColumn().aside(),
    eventId: column.text(30, 30),
    event: column.text(100, 1),
    /** Id of what the event happened to. */
    subject: column.text(255),
    /** Byte for byte what is sent; it may name a customer. */
    body: column.text(Number.MAX_SAFE_INTEGER).personal(),
    state: column.choice(DELIVERY_STATES),
    isTest: column.flag(),
    /** 0 for the first sending, one more with every redelivery. */
    run: column.integer(0),
    /** Attempts of this run that have ended. */
    attempts: column.integer(0),
    nextAttemptAt: column.time().nullable(),
    lastStatus: column.integer(100, 999).nullable(),
    lastError: column.text(LONG).nullable(),
    lastMs: column.integer(0).nullable(),
    /** Time of the event. */
    createdAt: column.time(),
    endedAt: column.time().nullable(),
  },
  {
    natural: ['webhookId', 'eventId'],
    whose: 'what was sent to a receiver goes some days after it was sent',
    kept: KEPT,
  },
);

const Headers = () => z.record(z.string(), z.string());

/** Requests to receivers, and what came back. */
export const attemptRecord = record(
  'webhook_attempts',
  {
    deliveryId: column.id(ids.delivery).references('webhook_deliveries').aside(),
    run: column.integer(0),
    /** 1, 2, 3 … within its run: what X-Webhook-Attempt said. */
    n: column.integer(1),
    /** When it began. */
    at: column.time().stored('created_at'),
    ms: column.integer(0),
    status: column.integer(100, 999).nullable(),
    error: column.text(LONG).nullable(),
    /** As sent; signatures and the webhook's own headers are redacted. */
    requestHeaders: column.json(Headers),
    responseHeaders: column.json(Headers).nullable(),
    /** The first 2 KB, redacted. */
    responseExcerpt: column.text(LONG).nullable(),
  },
  { key: ['deliveryId', 'run', 'n'], kept: 'as long as their delivery' },
);
