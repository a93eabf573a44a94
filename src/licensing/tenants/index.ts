export { DEFAULT_TENANT_ID, idOfSlug, isSuspended } from './tenants.ts';
