export { ids as tenantIds } from './ids.ts';
export type { Tenant } from './repository.ts';
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
