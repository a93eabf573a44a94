import type { Permission } from '#platform/permissions/index.ts';

/** What an API key of the store can be made for (spec, Authentication): write implies read. */
export const API_KEY_SCOPES = [
  'products:read',
  'products:write',
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'inventory:read',
  'inventory:write',
  'settings:read',
  'settings:write',
] as const satisfies readonly Permission[];

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** Whether a text is one of them. */
export const isScope = (text: string): text is ApiKeyScope =>
  (API_KEY_SCOPES as readonly string[]).includes(text);
