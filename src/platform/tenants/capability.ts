import { capability } from '#kernel/capability.ts';
import { tenantEvents } from './events.ts';
import { tenantRecord } from './record.ts';
import { tenantResource } from './resource.ts';

/** Tenants of the installation. */
export const tenants = capability({
  name: 'tenants',
  events: [tenantEvents],
  records: [tenantRecord],
  resources: [tenantResource],
});
