import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type Attempt, type DeliveryRecord, figuresOf, type Webhook } from '#platform/webhooks/index.ts';

/** A webhook of the shop as staff see it, without its secrets (storefront-api.md 2; Z20). */
export const StoreWebhookView = later(() =>
  z
    .object({
      id: z.string(),
      url: z.string(),
      events: z.array(z.string()).describe('Names, or `*` for all of them'),
      description: z.string(),
      active: z.boolean(),
      headers: z.array(z.string()).describe('Names of the headers sent in addition to the documented ones'),
      consecutive_failures: count().describe('Failed deliveries in a row; 20 disable it'),
      disabled_at: instant().nullable(),
      disabled_reason: z.string().nullable(),
      last_day: z
        .object({
          delivered: count(),
          failed: count(),
          failed_attempts: count().describe('Also of deliveries that are still on their way'),
        })
        .describe('Deliveries that ended in the last 24 hours, without tests'),
      last_delivery_at: instant().nullable(),
      last_success_at: instant().nullable(),
      previous_secret_until: instant().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'StoreWebhook' }),
);

/** Webhooks with what became of their deliveries: two questions for a page of them. */
export async function storeWebhookViews(
  webhooks: readonly Webhook[],
  ctx: Ctx,
): Promise<z.output<typeof StoreWebhookView>[]> {
  const figures = await figuresOf(
    ctx,
    webhooks.map(({ id }) => id),
  );
  return webhooks.map((webhook) => {
    const { lastAt, lastSuccessAt, delivered, failed, failedAttempts } = figures(webhook.id);
    return {
      id: webhook.id,
      url: webhook.url,
      events: webhook.events,
      description: webhook.name,
      active: webhook.enabled,
      headers: webhook.headerNames,
      consecutive_failures: webhook.consecutiveFailures,
      disabled_at: webhook.disabledAt,
      disabled_reason: webhook.disabledReason,
      last_day: { delivered, failed, failed_attempts: failedAttempts },
      last_delivery_at: lastAt,
      last_success_at: lastSuccessAt,
      previous_secret_until: webhook.previousUntil,
      created_at: webhook.createdAt,
      updated_at: webhook.updatedAt,
    };
  });
}

const headers = () => z.record(z.string(), z.string());

const AttemptView = later(() =>
  z
    .object({
      no: z.int().min(1),
      run: count().describe('0 for the first delivery, plus one for every redelivery'),
      status: z.int().nullable().describe('Of the answer; null without an answer'),
      error: z.string().nullable(),
      ms: count(),
      response_headers: headers().nullable(),
      response_excerpt: z.string().nullable().describe('The first 2 KB, without secrets'),
      at: instant(),
    })
    .meta({ id: 'StoreWebhookAttempt' }),
);

const STATUSES = ['pending', 'delivered', 'failed', 'skipped'] as const;

/** An event on its way to a webhook, with what was sent and what came back; signatures are masked. */
export const StoreDeliveryView = later(() =>
  z
    .object({
      id: z.string(),
      webhook_id: z.string(),
      webhook_name: z.string(),
      event: z.string(),
      event_id: z.string(),
      subject: z.string().describe("ID of the event's subject"),
      status: z.enum(STATUSES).describe('skipped: its webhook was disabled while it waited'),
      is_test: z.boolean(),
      run: count(),
      body: z.string().describe('Exact body as sent'),
      request_headers: headers().nullable(),
      next_attempt_at: instant().nullable(),
      attempts: z.array(AttemptView),
      created_at: instant(),
      ended_at: instant().nullable(),
    })
    .meta({ id: 'StoreWebhookDelivery' }),
);

const attemptView = (attempt: Attempt): z.output<typeof AttemptView> => ({
  no: attempt.n,
  run: attempt.run,
  status: attempt.status,
  error: attempt.error,
  ms: attempt.ms,
  response_headers: attempt.responseHeaders,
  response_excerpt: attempt.responseExcerpt,
  at: attempt.at,
});

export const storeDeliveryView = (delivery: DeliveryRecord): z.output<typeof StoreDeliveryView> => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  webhook_name: delivery.webhookName,
  event: delivery.event,
  event_id: delivery.eventId,
  subject: delivery.subject,
  status: delivery.state.toLowerCase() as (typeof STATUSES)[number],
  is_test: delivery.isTest,
  run: delivery.run,
  body: delivery.body,
  request_headers: delivery.log.at(-1)?.requestHeaders ?? null,
  next_attempt_at: delivery.nextAttemptAt,
  attempts: delivery.log.map(attemptView),
  created_at: delivery.createdAt,
  ended_at: delivery.endedAt,
});
