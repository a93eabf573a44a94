import { defineEvents, event } from '#kernel/events.ts';

type Nothing = Record<string, never>;

interface Seen {
  ip: string | null;
}

/** What happens to accounts of staff. */
export const accountEvents = defineEvents(
  'platform',
  {
    OWNER_CREATED: event<Nothing>(),
    OWNER_REPLACED: event<Nothing>(),
    SIGNED_IN: event<Seen>(),
    SIGNED_OUT: event<Seen>(),
    SIGN_IN_FAILED: event<Seen & { failures: number; isLocked: boolean }>(),
  },
  { target: 'users' },
);
