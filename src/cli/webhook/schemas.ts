import { z } from 'zod';
import { WebhookView } from '#licensing/insight/webhooks/view.ts';
import { DeliveryDetails } from '#platform/webhooks/view.ts';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';

/** `Webhook` of cli.md section 2: of any service. */
export const WebhookShape = WebhookView.extend({ service: z.enum(['license', 'store']) });

export const WebhookPage = pageShape(WebhookShape);
export const WebhookPlan = WebhookShape.extend({ dryRun });
/** A secret that was made is there once: on a terminal, with --json or --reveal, unless --out took it. */
export const WebhookWithSecret = WebhookPlan.extend({ secret: z.string().optional() });
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
export const DeliveryShape = DeliveryDetails.extend({ replayOf: z.string().nullable() });

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
