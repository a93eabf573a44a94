import { defineEvents, event } from '#kernel/events.ts';

interface Named {
  name: string;
}

/** What happens to key formats. */
export const keyFormatEvents = defineEvents(
  'license',
  {
    KEY_FORMAT_CREATED: event<Named>(),
    KEY_FORMAT_UPDATED: event<Named>(),
    KEY_FORMAT_DELETED: event<Named>(),
  },
  { target: 'key-formats' },
);
