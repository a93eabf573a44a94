/** Objects of the admin API about webhooks (licensing 4.2; the names are those of cli.md section 2). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import type { Attempt, Delivery, DeliveryRecord, Webhook } from '#platform/webhooks/index.ts';
import { DELIVERY_STATES } from '#platform/webhooks/index.ts';

/** A webhook without its secrets. */
export const WebhookView = z
  .object({
    id: z.string(),
    name: z.string(),
    service: z.literal('license'),
    url: z.string(),
    events: z.array(z.string()),
    productIds: z.array(z.string()).nullable(),
    redactEmail: z.boolean(),
    /** Their names only: values may be credentials. */
    headers: z.array(z.string()),
    enabled: z.boolean(),
    disabledAt: instant().nullable(),
    disabledReason: z.string().nullable(),
    consecutiveFailures: count(),
    previousSecretUntil: instant().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Webhook' });

/** @param webhook of the license service */
export const webhookView = ({
  tenantId,
  headerNames,
  previousUntil,
  ...webhook
}: Webhook): z.output<typeof WebhookView> => ({
  ...webhook,
  service: 'license',
  headers: headerNames,
  previousSecretUntil: previousUntil,
});

export const WebhookPage = z
  .object({ items: z.array(WebhookView), pagination: Pagination })
  .meta({ id: 'WebhookPage' });

/** `warning`: the name in the URL leads nowhere at this moment. */
export const WebhookChanged = z
  .object({ webhook: WebhookView, warning: z.string().nullable() })
  .meta({ id: 'WebhookChanged' });

/** The secret is shown this once. */
export const WebhookCreated = WebhookChanged.extend({ signingSecret: z.string() }).meta({
  id: 'WebhookCreated',
});

const headers = () => z.record(z.string(), z.string());

const AttemptView = z
  .object({
    run: count(),
    n: z.int().min(1),
    at: instant(),
    ms: count(),
    httpStatus: z.int().nullable(),
    error: z.string().nullable(),
    responseSnippet: z.string().nullable(),
  })
  .meta({ id: 'Attempt' });

/** One event on its way to one webhook, as lists show it. */
export const DeliveryView = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    eventId: z.string(),
    event: z.string(),
    subject: z.string(),
    state: z.enum(DELIVERY_STATES),
    isTest: z.boolean(),
    run: count(),
    nextAttemptAt: instant().nullable(),
    createdAt: instant(),
    endedAt: instant().nullable(),
  })
  .meta({ id: 'Delivery' });

/** With what was sent, the headers of the last attempt, and what came back; secrets are redacted. */
export const DeliveryDetails = DeliveryView.extend({
  requestBody: z.string(),
  requestHeaders: headers().nullable(),
  attempts: z.array(AttemptView.extend({ responseHeaders: headers().nullable() })),
}).meta({ id: 'DeliveryDetails' });

/** Bodies and headers are there when the query asks for `details`. */
export const DeliveryPage = z
  .object({
    items: z.array(
      DeliveryView.extend({
        attempts: z.array(AttemptView.extend({ responseHeaders: headers().nullable().optional() })),
        requestBody: z.string().optional(),
        requestHeaders: headers().nullable().optional(),
      }),
    ),
    pagination: Pagination,
  })
  .meta({ id: 'DeliveryPage' });

/** A delivery without what was sent. */
export const deliveryView = (delivery: Delivery): z.output<typeof DeliveryView> => ({
  id: delivery.id,
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  event: delivery.event,
  subject: delivery.subject,
  state: delivery.state,
  isTest: delivery.isTest,
  run: delivery.run,
  nextAttemptAt: delivery.nextAttemptAt,
  createdAt: delivery.createdAt,
  endedAt: delivery.endedAt,
});

const attemptView = ({ run, n, at, ms, status, error, responseExcerpt }: Attempt) => ({
  run,
  n,
  at,
  ms,
  httpStatus: status,
  error,
  responseSnippet: responseExcerpt,
});

/** A line of a list: what came back, but neither bodies nor headers. */
export const deliveryLine = (record: DeliveryRecord) => ({
  ...deliveryView(record),
  attempts: record.log.map(attemptView),
});

/** A delivery with its body and its whole log. */
export const deliveryDetails = (record: DeliveryRecord): z.output<typeof DeliveryDetails> => ({
  ...deliveryView(record),
  requestBody: record.body,
  requestHeaders: record.log.at(-1)?.requestHeaders ?? null,
  attempts: record.log.map((attempt) => ({
    ...attemptView(attempt),
    responseHeaders: attempt.responseHeaders,
  })),
});

export const OneWebhook = z.object({ webhook: WebhookView }).meta({ id: 'OneWebhook' });
export const OneDelivery = z.object({ delivery: DeliveryView }).meta({ id: 'OneDelivery' });
export const OneDeliveryDetails = z.object({ delivery: DeliveryDetails }).meta({ id: 'OneDeliveryDetails' });

/** What was queued again, still waits, and was left alone. */
export const Replayed = z
  .object({ queued: count(), pending: count(), left: count() })
  .meta({ id: 'WebhookReplayed' });

/** The new secret is shown this once; the old one signs beside it until then. */
export const SecretRotated = z
  .object({ signingSecret: z.string(), previousUntil: instant(), webhook: WebhookView })
  .meta({ id: 'WebhookSecretRotated' });

/** What the receiver of a test answered; `status` is null when it did not. */
export const TestSent = z
  .object({
    status: z.int().nullable(),
    ms: count(),
    body: z.string().nullable(),
    error: z.string().nullable(),
    deliveryId: z.string(),
  })
  .meta({ id: 'WebhookTestSent' });

/** The request that a test would be; values of own headers are masked. */
export const TestRequest = z
  .object({ url: z.string(), headers: headers(), body: z.string() })
  .meta({ id: 'WebhookTestRequest' });
