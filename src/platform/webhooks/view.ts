/** Objects of the admin API about what is sent to webhooks (the names are those of cli.md section 2). */

import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { DELIVERY_STATES } from './record.ts';
import type { Attempt, Delivery, DeliveryRecord } from './webhook.ts';

const headers = () => z.record(z.string(), z.string());

const AttemptView = later(() =>
  z
    .object({
      run: count(),
      n: z.int().min(1),
      at: instant(),
      ms: count(),
      httpStatus: z.int().nullable(),
      error: z.string().nullable(),
      responseSnippet: z.string().nullable(),
    })
    .meta({ id: 'Attempt' }),
);

/** One event on its way to one webhook, as lists show it. */
export const DeliveryView = later(() =>
  z
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
    .meta({ id: 'Delivery' }),
);

/** With what was sent, the headers of the last attempt, and what came back; secrets are redacted. */
export const DeliveryDetails = later(() =>
  DeliveryView.extend({
    webhookName: z.string(),
    requestBody: z.string(),
    requestHeaders: headers().nullable(),
    attempts: z.array(AttemptView.extend({ responseHeaders: headers().nullable() })),
  }).meta({ id: 'DeliveryDetails' }),
);

/** A line of a list: what came back, but neither bodies nor headers. */
export const DeliveryLine = later(() =>
  DeliveryView.extend({ webhookName: z.string(), attempts: z.array(AttemptView) }).meta({
    id: 'DeliveryLine',
  }),
);

/** Bodies and headers are there when the query asks for `details`. */
export const ListedDelivery = later(() =>
  DeliveryView.extend({
    webhookName: z.string(),
    attempts: z.array(AttemptView.extend({ responseHeaders: headers().nullable().optional() })),
    requestBody: z.string().optional(),
    requestHeaders: headers().nullable().optional(),
  }),
);

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

/** As `DeliveryLine` shows it. */
export const deliveryLine = (record: DeliveryRecord): z.output<typeof DeliveryLine> => ({
  ...deliveryView(record),
  webhookName: record.webhookName,
  attempts: record.log.map(attemptView),
});

/** A delivery with its body and its whole log. */
export const deliveryDetails = (record: DeliveryRecord): z.output<typeof DeliveryDetails> => ({
  ...deliveryView(record),
  webhookName: record.webhookName,
  requestBody: record.body,
  requestHeaders: record.log.at(-1)?.requestHeaders ?? null,
  attempts: record.log.map((attempt) => ({
    ...attemptView(attempt),
    responseHeaders: attempt.responseHeaders,
  })),
});

export const OneDelivery = z.object({ delivery: DeliveryView }).meta({ id: 'OneDelivery' });

/** What was queued again, still waits, and was left alone. */
export const Replayed = z
  .object({ queued: count(), pending: count(), left: count() })
  .meta({ id: 'WebhookReplayed' });

/** What the receiver of a test answered; `status` is null when it did not. */
export const TestSent = later(() =>
  z
    .object({
      status: z.int().nullable(),
      ms: count(),
      body: z.string().nullable(),
      error: z.string().nullable(),
      deliveryId: z.string(),
    })
    .meta({ id: 'WebhookTestSent' }),
);

/** The request that a test would be; values of own headers are masked. */
export const TestRequest = later(() =>
  z.object({ url: z.string(), headers: headers(), body: z.string() }).meta({ id: 'WebhookTestRequest' }),
);
