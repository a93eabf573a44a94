import { capability } from '#kernel/capability.ts';
import { apiKeyEvents } from './events.ts';
import { apiKeyRecord } from './record.ts';

/** Credentials of programs that call the APIs. */
export const apiKeys = capability({ name: 'api-keys', events: [apiKeyEvents], records: [apiKeyRecord] });
