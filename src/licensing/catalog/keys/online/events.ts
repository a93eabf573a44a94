import { defineEvents, event } from '#kernel/events.ts';

interface Named {
  keyId: string;
  productId: string;
  slug: string;
}

/** What happens to online keys. */
export const onlineKeyEvents = defineEvents(
  'license',
  {
    ONLINE_KEY_CREATED: event<Named & { status: string }>(),
    ONLINE_KEY_DELEGATED: event<Named & { root: string; use: readonly string[]; expiresAt: string }>(),
  },
  { target: 'signing-keys' },
);
