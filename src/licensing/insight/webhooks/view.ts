/** Webhooks of the license service in the admin API (licensing 4.2; the names are those of cli.md section 2). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { figuresOf, type Webhook } from '#platform/webhooks/index.ts';

/** A webhook without its secrets. */
export const WebhookView = later(() =>
  z
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
      /** What ended in the last 24 hours, without tests; failed attempts also of what is still on its way. */
      last24Hours: z.object({ delivered: count(), failed: count(), failedAttempts: count() }),
      lastDeliveryAt: instant().nullable(),
      lastSuccessAt: instant().nullable(),
      previousSecretUntil: instant().nullable(),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'Webhook' }),
);

/**
 * Webhooks with what became of their deliveries.
 *
 * @param webhooks of the license service
 */
export async function webhookViews(
  webhooks: readonly Webhook[],
  ctx: Ctx,
): Promise<z.output<typeof WebhookView>[]> {
  const figures = await figuresOf(
    ctx,
    webhooks.map(({ id }) => id),
  );
  return webhooks.map(({ tenantId, headerNames, previousUntil, ...webhook }) => {
    const { lastAt, lastSuccessAt, ...last24Hours } = figures(webhook.id);
    return {
      ...webhook,
      service: 'license',
      headers: headerNames,
      last24Hours,
      lastDeliveryAt: lastAt,
      lastSuccessAt,
      previousSecretUntil: previousUntil,
    };
  });
}
