/** Webhooks of the license service in the admin API (licensing 4.2; the names are those of cli.md section 2). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import type { Webhook } from '#platform/webhooks/index.ts';

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
