import { change, defineEvents } from '#kernel/events.ts';
import { signingKeyRecord } from '../record.ts';

interface Named {
  keyId: string;
  productId: string;
  slug: string;
}

/** What happens to online keys. */
export const onlineKeyEvents = defineEvents(
  'license',
  {
    ONLINE_KEY_CREATED: change<Named & { status: string }>(),
    ONLINE_KEY_DELEGATED: change<Named & { root: string; use: readonly string[]; expiresAt: string }>(),
  },
  { target: 'signing-keys', record: signingKeyRecord },
);
