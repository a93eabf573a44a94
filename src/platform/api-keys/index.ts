export { type ApiKeyInput, create, get, revoke, rotate, update } from './api-keys.ts';
export { authenticate, type Identity, opensTo, type Refusal } from './authenticate.ts';
export { apiKeyRowsOf } from './queries.ts';
export { type ApiKey, apiKeyRecord, type Service } from './record.ts';
