import { change, defineEvents } from '#kernel/events.ts';
import { mediaRecord } from './record.ts';

interface Named {
  fileName: string;
}

/** What staff does with pictures. */
export const mediaEvents = defineEvents(
  'platform',
  {
    MEDIA_UPLOADED: change<Named>(),
    MEDIA_UPDATED: change<Named>(),
    MEDIA_DELETED: change<Named>(),
    /** Of all pictures at once, as a task; a row for each would bury the log. */
    MEDIA_REBUILD_STARTED: change<{ pictures: number }>(),
  },
  { target: 'media', record: mediaRecord },
);
