import { capability } from '#kernel/capability.ts';
import { integrationEvents } from './events.ts';
import { integrationRecord, mappingRecord } from './record.ts';
import { integrationResource, mappingResource } from './resource.ts';

/** Payment processors whose purchases become licenses: what staff sets up (licensing 4.2, Integrations in). */
export const integrations = capability({
  name: 'integrations',
  events: [integrationEvents],
  resources: [integrationResource, mappingResource],
  records: [integrationRecord, mappingRecord],
});
