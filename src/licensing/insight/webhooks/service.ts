import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { defaultSubscription } from '#licensing/contract/events.ts';
import type { WebhookService } from '#platform/webhooks/index.ts';
import { testData, webhookEvents } from './catalog.ts';
import { licenseSending } from './local.ts';

/** Webhooks of the license service, as they are worked with (spec, Events; D117-D127). */
export const licenseWebhooks: WebhookService = {
  ...licenseSending,
  events: webhookEvents,
  defaultEvents: defaultSubscription,
  findProducts,
  testEvent: 'WEBHOOK_TEST',
  testData,
};

async function findProducts(ctx: Ctx, named: readonly string[]): Promise<(string | null)[]> {
  const found = await Promise.all(named.map((idOrSlug) => products.find(ctx, idOrSlug)));
  return found.map((product) => product?.id ?? null);
}
