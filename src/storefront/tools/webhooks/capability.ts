import { capability } from '#kernel/capability.ts';
import { webhookEventEndpoint } from './endpoints.store.ts';
import { storeDeliveryResource, storeWebhookDeliveryResource, storeWebhookResource } from './resource.ts';

/** Administration of the shop's webhooks (storefront-api.md, AM). */
export const storeWebhookAdministration = capability({
  name: 'store-webhooks',
  resources: [storeWebhookResource, storeDeliveryResource, storeWebhookDeliveryResource],
  storeEndpoints: [webhookEventEndpoint],
});
