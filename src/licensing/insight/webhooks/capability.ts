import { capability } from '#kernel/capability.ts';
import {
  licenseDeliveryResource,
  licenseWebhookDeliveryResource,
  licenseWebhookResource,
} from './resource.ts';

/** Administration of the license service's webhooks (licensing 4.2, Webhooks out). */
export const webhookAdministration = capability({
  name: 'license-webhooks',
  resources: [licenseWebhookResource, licenseDeliveryResource, licenseWebhookDeliveryResource],
});
