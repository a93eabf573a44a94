export { type ApiKeyInput, create, get, list, revoke, rotate, update } from './api-keys.ts';
export { authenticate, type Identity, opensTo, type Refusal } from './authenticate.ts';
export { type ApiKey, apiKeyRecord, type Service } from './record.ts';
