export type { Processor, RefundAction } from './choices.ts';
export { endpointPath, endpointUrl, type LiveIntegration } from './integration.ts';
export {
  create,
  get,
  remove,
  update,
} from './integrations.ts';
export { cached, load, touchLastEvent } from './live.ts';
export { mapProduct } from './mappings/mappings.ts';
export { type Integration, integrationRecord, mappingRecord, type ProductMapping } from './record.ts';
export type { IntegrationCreateInput, IntegrationUpdateInput, MappingInputFields } from './schemas.ts';
