import { capability } from '#kernel/capability.ts';
import { integrationAdminEndpoints } from './admin-endpoints.ts';
import { integrationEvents } from './events.ts';
import { mappingAdminEndpoints } from './mappings/admin-endpoints.ts';
import { integrationRecord, mappingRecord } from './record.ts';

export {
  endpointPath,
  endpointUrl,
  type LiveIntegration,
  type Processor,
  type RefundAction,
} from './integration.ts';
export {
  create,
  get,
  list,
  type MadeIntegration,
  remove,
  update,
} from './integrations.ts';
export { cached, load, touchLastEvent } from './live.ts';
export { listMappings, mapProduct, mappingsOf, unmapProduct, updateMapping } from './mappings/mappings.ts';
export { type Integration, integrationRecord, mappingRecord, type ProductMapping } from './record.ts';
export type {
  IntegrationCreateInput,
  IntegrationUpdateInput,
  MappingInputFields,
  MappingUpdateInput,
} from './schemas.ts';

/** Payment processors whose purchases become licenses: what staff sets up (licensing 4.2, Integrations in). */
export const integrations = capability({
  name: 'integrations',
  events: [integrationEvents],
  adminEndpoints: [...integrationAdminEndpoints, ...mappingAdminEndpoints],
  records: [integrationRecord, mappingRecord],
});
