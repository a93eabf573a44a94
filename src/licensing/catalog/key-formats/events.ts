import { change, defineEvents } from '#kernel/events.ts';
import { keyFormatRecord } from './record.ts';

interface Named {
  name: string;
}

/** What happens to key formats. */
export const keyFormatEvents = defineEvents(
  'license',
  {
    KEY_FORMAT_CREATED: change<Named>(),
    KEY_FORMAT_UPDATED: change<Named>(),
    KEY_FORMAT_DELETED: change<Named>(),
  },
  { target: 'key-formats', record: keyFormatRecord },
);
