import { capability } from '#kernel/capability.ts';
import { integrationAdminEndpoints } from './admin-endpoints.ts';
import { integrationEvents } from './events.ts';
import { mappingAdminEndpoints } from './mappings/admin-endpoints.ts';
import { integrationRecord, mappingRecord } from './record.ts';

/** Payment processors whose purchases become licenses: what staff sets up (licensing 4.2, Integrations in). */
export const integrations = capability({
  name: 'integrations',
  events: [integrationEvents],
  adminEndpoints: [...integrationAdminEndpoints, ...mappingAdminEndpoints],
  records: [integrationRecord, mappingRecord],
});
