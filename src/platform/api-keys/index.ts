import { capability } from '#kernel/capability.ts';
import { apiKeyEvents } from './events.ts';
import { apiKeyRecord } from './record.ts';

export { type ApiKeyInput, create, get, list, revoke, rotate, update } from './api-keys.ts';
export { authenticate, type Identity, opensTo, type Refusal } from './authenticate.ts';
export { type ApiKey, apiKeyRecord, type Service } from './record.ts';

/** Credentials of programs that call the APIs. */
export const apiKeys = capability({ name: 'api-keys', events: [apiKeyEvents], records: [apiKeyRecord] });
