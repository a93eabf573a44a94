import { change, defineEvents } from '#kernel/events.ts';

interface Labeled {
  label: string | null;
}

/** What staff do with honeypots. */
export const honeypotEvents = defineEvents(
  'license',
  {
    HONEYPOT_CREATED: change<Labeled>(),
    HONEYPOT_DELETED: change<Labeled>(),
  },
  { target: 'honeypots' },
);
