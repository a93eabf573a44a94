/** Permissions of staff, and the scopes of API keys in their place (storefront-api.md, AM). */
export const webhookNeeds = {
  read: 'webhooks:read',
  orRead: 'settings:read',
  write: 'webhooks:write',
  orWrite: 'settings:write',
} as const;
