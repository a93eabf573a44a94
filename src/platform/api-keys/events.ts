import { change, defineEvents } from '#kernel/events.ts';
import { apiKeyRecord } from './record.ts';

/** What happens to API keys. */
export const apiKeyEvents = defineEvents(
  'platform',
  {
    API_KEY_CREATED: change<{ name: string; scopes: readonly string[] }>(),
    API_KEY_UPDATED: change<{ changed: readonly string[] }>(),
    API_KEY_REVOKED: change<{ name: string }>(),
    API_KEY_ROTATED: change<{ previousUntil: string | null }>(),
  },
  { target: 'api-keys', record: apiKeyRecord },
);
