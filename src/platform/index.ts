/** Every capability of the platform. None of them depends on its place: they are mounted in the order of their names. */
export { accounts } from './accounts/capability.ts';
export { adminTokens } from './admin-tokens/capability.ts';
export { apiKeys } from './api-keys/capability.ts';
export { audit } from './audit/capability.ts';
export { health } from './health/capability.ts';
export { help } from './help/capability.ts';
export { idempotency } from './idempotency/capability.ts';
export { jobs } from './jobs/capability.ts';
export { limitRefusals } from './limit-refusals/capability.ts';
export { oneTimeTokens } from './one-time-tokens/capability.ts';
export { roles } from './roles/capability.ts';
export { secondFactor } from './second-factor/capability.ts';
export { sessions } from './sessions/capability.ts';
export { settings } from './settings/capability.ts';
export { staffApi } from './staff-api/capability.ts';
export { tenants } from './tenants/capability.ts';
export { webhooks } from './webhooks/capability.ts';
