import { defineEvents, event } from '#kernel/events.ts';

interface Named {
  name: string;
  role: string;
}

/** What happens to admin tokens. */
export const adminTokenEvents = defineEvents(
  'platform',
  {
    ADMIN_TOKEN_CREATED: event<Named & { tenantId: string | null; expiresAt: string | null }>(),
    ADMIN_TOKEN_REVOKED: event<Named>(),
  },
  { target: 'admin-tokens' },
);
