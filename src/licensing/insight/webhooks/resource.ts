import {
  deliveryResource,
  type WebhookDesk,
  webhookDeliveryResource,
  webhookResource,
} from '#platform/webhooks/resource.ts';
import { licenseWebhooks } from './service.ts';
import { WebhookView, webhookViews } from './view.ts';

/** Webhooks of the license service, for staff (licensing 4.2, Webhooks out). */
const desk: WebhookDesk = {
  service: licenseWebhooks,
  needs: { read: 'licensing:read', write: 'licensing:write', secrets: 'licensing:secrets' },
  twin: { surface: 'license-admin', path: '/webhooks', view: WebhookView, toViews: webhookViews },
};

export const licenseWebhookResource = webhookResource(desk);
export const licenseDeliveryResource = deliveryResource(desk);
export const licenseWebhookDeliveryResource = webhookDeliveryResource(desk);
