export type { Processor, RefundAction } from './choices.ts';
export { endpointPath, endpointUrl, type LiveIntegration } from './integration.ts';
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
