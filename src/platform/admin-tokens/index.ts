import { capability } from '#kernel/capability.ts';
import { adminTokenEvents } from './events.ts';
import { adminTokenRecord } from './record.ts';

export { type AdminTokenInput, create, get, list, revoke } from './admin-tokens.ts';
export { authenticate, type Bearer, type Refusal } from './authenticate.ts';
export { type AdminToken, adminTokenRecord } from './record.ts';

/** Bearer tokens of the admin APIs. */
export const adminTokens = capability({
  name: 'admin-tokens',
  events: [adminTokenEvents],
  records: [adminTokenRecord],
});
