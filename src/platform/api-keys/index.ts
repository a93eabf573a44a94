export { type ApiKeyInput, create, get, list, revoke, rotate, update } from './api-keys.ts';
export { authenticate, type Identity, opensTo, type Refusal } from './authenticate.ts';
export type { ApiKey, Service } from './repository.ts';
