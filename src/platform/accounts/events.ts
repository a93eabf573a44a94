import { change, defineEvents } from '#kernel/events.ts';
import { adminUserRecord } from './record.ts';

type Nothing = Record<string, never>;

interface Seen {
  ip: string | null;
}

interface Link {
  /** `reset-password`, `invite` or `login-link`. */
  purpose: string;
  expiresAt: string;
}

/** What happens to accounts of staff. */
export const accountEvents = defineEvents(
  'platform',
  {
    OWNER_CREATED: change<Nothing>(),
    OWNER_REPLACED: change<Nothing>(),
    STAFF_CREATED: change<Nothing>(),
    STAFF_UPDATED: change<Nothing>(),
    /** Somebody who was invited chose a password. */
    STAFF_JOINED: change<Seen>(),
    STAFF_LINK_MADE: change<Link>(),
    STAFF_UNLOCKED: change<Nothing>(),
    PASSWORD_CHANGED: change<Seen & { by: 'oneself' | 'link' | 'staff' }>(),
    TWO_FACTOR_ENABLED: change<Nothing>(),
    TWO_FACTOR_DISABLED: change<Nothing>(),
    RECOVERY_CODES_RENEWED: change<Nothing>(),
    SESSIONS_ENDED: change<{ sessions: number }>(),
    /** Somebody looks at the panel as this account does, and only reads. */
    VIEW_AS_BEGUN: change<Nothing>(),
    VIEW_AS_ENDED: change<Nothing>(),
    SIGNED_IN: change<Seen>(),
    SIGNED_OUT: change<Seen>(),
    SIGN_IN_FAILED: change<Seen & { failures: number; isLocked: boolean }>(),
  },
  { target: 'users', record: adminUserRecord },
);
