import { change, defineEvents } from '#kernel/events.ts';
import { tenantRecord } from './record.ts';

interface Named {
  slug: string;
}

/** What happens to tenants; each stands in the timeline of the tenant itself. */
export const tenantEvents = defineEvents(
  'license',
  {
    TENANT_CREATED: change<Named>(),
    TENANT_UPDATED: change<Named>(),
    TENANT_SUSPENDED: change<Named>(),
    TENANT_REINSTATED: change<Named>(),
  },
  { target: 'tenants', record: tenantRecord },
);
