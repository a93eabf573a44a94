import { defineEvents, event } from '#kernel/events.ts';

interface Labeled {
  label: string | null;
}

/** What staff do with honeypots. */
export const honeypotEvents = defineEvents(
  'license',
  {
    HONEYPOT_CREATED: event<Labeled>(),
    HONEYPOT_DELETED: event<Labeled>(),
  },
  { target: 'honeypots' },
);
