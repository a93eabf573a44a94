import { capability } from '#kernel/capability.ts';
import { deliveryAdminEndpoints } from './admin-deliveries.ts';
import { webhookAdminEndpoints } from './admin-endpoints.ts';

/** Administration of the license service's webhooks (licensing 4.2, Webhooks out). */
export const webhookAdministration = capability({
  name: 'license-webhooks',
  adminEndpoints: [...webhookAdminEndpoints, ...deliveryAdminEndpoints],
});
