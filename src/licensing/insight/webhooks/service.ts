import type { Ctx, StoredEvent } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { defaultSubscription, type LicensingEventData, subscribes } from '#licensing/contract/events.ts';
import type { WebhookService } from '#platform/webhooks/index.ts';
import { testData, webhookEvents } from './catalog.ts';
import { payload } from './payload.ts';

/** Webhooks of the license service (spec, Events: Delivery; D117-D127). */
export const licenseWebhooks: WebhookService = {
  name: 'license',
  events: webhookEvents,
  defaultEvents: defaultSubscription,
  subscribes,
  concerns,
  findProducts,
  payload,
  testEvent: 'WEBHOOK_TEST',
  testData,
  plan: {
    delaysSeconds: [0, 10, 30],
    retries: (status) => status >= 500,
    endsWebhook: () => false,
  },
  excerptBytes: 2048,
};

async function concerns(ctx: Ctx, event: StoredEvent, productIds: readonly string[]): Promise<boolean> {
  const { product } = event.data as unknown as LicensingEventData;
  const id = await products.idOfSlug(ctx, product.slug);
  return id !== null && productIds.includes(id);
}

async function findProducts(ctx: Ctx, named: readonly string[]): Promise<(string | null)[]> {
  const found = await Promise.all(named.map((idOrSlug) => products.find(ctx, idOrSlug)));
  return found.map((product) => product?.id ?? null);
}
