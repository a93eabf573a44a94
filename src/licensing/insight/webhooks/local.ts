import type { Ctx, StoredEvent } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { type LicensingEventData, subscribes } from '#licensing/contract/events.ts';
import type { SendingService } from '#platform/webhooks/index.ts';
import { payload } from './payload.ts';

/** How events of the license service reach their receivers (spec, Events: Delivery; D117-D127). */
export const licenseSending: SendingService = {
  name: 'license',
  subscribes,
  concerns,
  payload,
  plan: {
    delaysSeconds: [0, 10, 30],
    retries: (status) => status >= 500,
    endsWebhook: () => false,
  },
  terms: ({ serviceName }) => ({ attempts: 3, timeoutMs: 10_000, sender: serviceName }),
  excerptBytes: 2048,
};

async function concerns(ctx: Ctx, event: StoredEvent, productIds: readonly string[]): Promise<boolean> {
  const { product } = event.data as unknown as LicensingEventData;
  const id = await products.idOfSlug(ctx, product.slug);
  return id !== null && productIds.includes(id);
}
