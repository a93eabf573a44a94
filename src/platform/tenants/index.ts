export { tenantEvents } from './events.ts';
export { ids as tenantIds, type Tenant, tenantColumn, tenantRecord } from './record.ts';
export type { TenantCreateInput, TenantUpdateInput } from './schemas.ts';
export { MOST_HOSTNAMES, TENANT_STATUSES } from './schemas.ts';
export {
  create,
  DEFAULT_TENANT_ID,
  get,
  idOfSlug,
  idOfVisitor,
  isSuspended,
  list,
  reinstate,
  suspend,
  update,
} from './tenants.ts';
