import { defineEvents, event } from '#kernel/events.ts';

interface Named {
  slug: string;
}

/** What happens to tenants; each stands in the timeline of the tenant itself. */
export const tenantEvents = defineEvents(
  'license',
  {
    TENANT_CREATED: event<Named>(),
    TENANT_UPDATED: event<Named>(),
    TENANT_SUSPENDED: event<Named>(),
    TENANT_REINSTATED: event<Named>(),
  },
  { target: 'tenants' },
);
