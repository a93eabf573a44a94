import { z } from 'zod';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';
import type { DeliveryView, WebhookView } from './view.ts';

const service = z.enum(['license', 'store']);

/** `Webhook` of cli.md section 2. */
export const WebhookShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  service,
  url: z.string(),
  events: z.array(z.string()),
  productIds: z.array(z.string()).nullable(),
  redactEmail: z.boolean(),
  headers: z.array(z.string()),
  enabled: z.boolean(),
  consecutiveFailures: z.int(),
  disabledAt: Instant.nullable(),
  disabledReason: z.string().nullable(),
  previousSecretUntil: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
}) satisfies z.ZodType<WebhookView>;

export const WebhookPage = pageShape(WebhookShape);
export const WebhookPlan = WebhookShape.extend({ dryRun });
/** A secret that was made is there once: on a terminal, with --json or --reveal, unless --out took it. */
export const WebhookWithSecret = WebhookPlan.extend({ secret: z.string().optional() });
/** `Result` of cli.md section 2. */
export const WebhookDeleted = z.strictObject({
  ok: z.literal(true),
  action: z.literal('deleted'),
  id: z.string(),
  changed: z.literal(true),
  dryRun,
});

export const EventPage = pageShape(
  z.strictObject({
    event: z.string(),
    description: z.string(),
    default: z.boolean(),
    example: z.record(z.string(), z.json()),
  }),
);

const headers = z.record(z.string(), z.string());

/** `Delivery` of cli.md section 2. */
export const DeliveryShape = z.strictObject({
  id: z.string(),
  webhookId: z.string(),
  eventId: z.string(),
  event: z.string(),
  subject: z.string(),
  state: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED']),
  isTest: z.boolean(),
  run: z.int(),
  attempts: z.array(
    z.strictObject({
      run: z.int(),
      n: z.int(),
      at: Instant,
      ms: z.int(),
      httpStatus: z.int().nullable(),
      error: z.string().nullable(),
      responseHeaders: headers.nullable(),
      responseSnippet: z.string().nullable(),
    }),
  ),
  requestBody: z.string(),
  requestHeaders: headers.nullable(),
  nextAttemptAt: Instant.nullable(),
  replayOf: z.string().nullable(),
  createdAt: Instant,
  endedAt: Instant.nullable(),
}) satisfies z.ZodType<DeliveryView>;

export const DeliveryPage = pageShape(DeliveryShape);

/** What `webhook test --print` shows. */
const PrintedRequest = z.strictObject({
  method: z.literal('POST'),
  url: z.string(),
  headers,
  body: z.string(),
  dryRun,
});
export const TestOutput = z.union([DeliveryShape, PrintedRequest]);

/** A batch; for a range without single results, and with what was left alone. */
export const ReplayOutput = batchShape(
  z.object({ id: z.string(), webhookId: z.string(), event: z.string(), run: z.int() }),
).extend({ webhookId: z.string().optional(), pending: z.int().optional(), left: z.int().optional() });

const Received = z.strictObject({
  at: Instant,
  event: z.string().nullable(),
  /** null where no secret is given to check with. */
  valid: z.boolean().nullable(),
  /** Why it is not valid, or which secret it was signed with. */
  signature: z.string(),
  id: z.string().nullable(),
  attempt: z.int().nullable(),
  redelivery: z.boolean(),
  answered: z.int(),
  body: z.json(),
});
/** One line of `webhook listen --json`. */
export const ListenLine = z.union([
  z.strictObject({ event: z.literal('listening'), url: z.string() }),
  Received,
]);
