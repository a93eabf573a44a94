import { capability } from '#kernel/capability.ts';
import { integrationAdminEndpoints } from './admin-endpoints.ts';
import { inboundEventAdminEndpoints } from './admin-events.ts';
import { mappingAdminEndpoints } from './admin-mappings.ts';

/** Administration of purchases that come in (licensing 4.2, Integrations in). */
export const inboundAdministration = capability({
  name: 'inbound-administration',
  adminEndpoints: [...integrationAdminEndpoints, ...mappingAdminEndpoints, ...inboundEventAdminEndpoints],
});
