import { defineEvents, event } from '#kernel/events.ts';

/** What happens to API keys. */
export const apiKeyEvents = defineEvents(
  'platform',
  {
    API_KEY_CREATED: event<{ name: string; scopes: readonly string[] }>(),
    API_KEY_UPDATED: event<{ changed: readonly string[] }>(),
    API_KEY_REVOKED: event<{ name: string }>(),
    API_KEY_ROTATED: event<{ previousUntil: string | null }>(),
  },
  { target: 'api-keys' },
);
