export { type AdminTokenInput, create, get, list, revoke } from './admin-tokens.ts';
export { authenticate, type Bearer, type Refusal } from './authenticate.ts';
export { type AdminToken, adminTokenRecord } from './record.ts';
