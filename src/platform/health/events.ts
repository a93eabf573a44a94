import { change, defineEvents } from '#kernel/events.ts';

/** What staff does about checks; the id of the check is the target. */
export const checkEvents = defineEvents(
  'platform',
  {
    /** Somebody had a check repair what it found. */
    CHECK_REPAIRED: change<{ readonly status: string }>(),
  },
  { target: 'checks' },
);
