/** Objects of the admin API about webhooks (licensing 4.2; the names are those of cli.md section 2). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import type { Attempt, Delivery, DeliveryRecord, Webhook } from '#platform/webhooks/index.ts';
import { DELIVERY_STATES } from '#platform/webhooks/index.ts';

/** A webhook without its secrets. */
export const WebhookReply = z
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
export const webhookReply = ({
  tenantId,
  headerNames,
  previousUntil,
  ...webhook
}: Webhook): z.output<typeof WebhookReply> => ({
  ...webhook,
  service: 'license',
  headers: headerNames,
  previousSecretUntil: previousUntil,
});

export const WebhookPage = z.object({ items: z.array(WebhookReply), pagination: Pagination });

/** `warning`: the name in the URL leads nowhere at this moment. */
export const WebhookChanged = z.object({ webhook: WebhookReply, warning: z.string().nullable() });

/** The secret is shown this once. */
export const WebhookCreated = WebhookChanged.extend({ signingSecret: z.string() });

const headers = () => z.record(z.string(), z.string());

const AttemptReply = z
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
export const DeliveryReply = z
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
export const DeliveryDetails = DeliveryReply.extend({
  requestBody: z.string(),
  requestHeaders: headers().nullable(),
  attempts: z.array(AttemptReply.extend({ responseHeaders: headers().nullable() })),
});

export const DeliveryPage = z.object({
  items: z.array(DeliveryReply.extend({ attempts: z.array(AttemptReply) })),
  pagination: Pagination,
});

/** A delivery without what was sent. */
export const deliveryReply = (delivery: Delivery): z.output<typeof DeliveryReply> => ({
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

const attemptReply = ({ run, n, at, ms, status, error, responseExcerpt }: Attempt) => ({
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
  ...deliveryReply(record),
  attempts: record.log.map(attemptReply),
});

/** A delivery with its body and its whole log. */
export const deliveryDetails = (record: DeliveryRecord): z.output<typeof DeliveryDetails> => ({
  ...deliveryReply(record),
  requestBody: record.body,
  requestHeaders: record.log.at(-1)?.requestHeaders ?? null,
  attempts: record.log.map((attempt) => ({
    ...attemptReply(attempt),
    responseHeaders: attempt.responseHeaders,
  })),
});
