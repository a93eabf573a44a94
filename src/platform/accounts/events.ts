import { defineEvents, event } from '#kernel/events.ts';

type Nothing = Record<string, never>;

interface Seen {
  ip: string | null;
}

interface Named {
  email: string;
  name: string;
  roles: readonly string[];
}

interface Link {
  /** `reset-password`, `invite` or `login-link`. */
  purpose: string;
  expiresAt: string;
}

/** What happens to accounts of staff. */
export const accountEvents = defineEvents('platform', {
  OWNER_CREATED: event<Nothing>(),
  OWNER_REPLACED: event<Nothing>(),
  STAFF_CREATED: event<Named>(),
  STAFF_UPDATED: event<Nothing>(),
  /** Somebody who was invited chose a password. */
  STAFF_JOINED: event<Seen>(),
  STAFF_LINK_MADE: event<Link>(),
  STAFF_UNLOCKED: event<Nothing>(),
  PASSWORD_CHANGED: event<Seen & { by: 'oneself' | 'link' | 'staff' }>(),
  TWO_FACTOR_ENABLED: event<Nothing>(),
  TWO_FACTOR_DISABLED: event<Nothing>(),
  RECOVERY_CODES_RENEWED: event<Nothing>(),
  SESSIONS_ENDED: event<{ sessions: number }>(),
  SIGNED_IN: event<Seen>(),
  SIGNED_OUT: event<Seen>(),
  SIGN_IN_FAILED: event<Seen & { failures: number; isLocked: boolean }>(),
});
