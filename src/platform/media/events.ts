import { change, defineEvents } from '#kernel/events.ts';
import { mediaRecord } from './record.ts';

interface Named {
  fileName: string;
}

/** What staff does with pictures. */
export const mediaEvents = defineEvents(
  'platform',
  { MEDIA_UPLOADED: change<Named>(), MEDIA_UPDATED: change<Named>(), MEDIA_DELETED: change<Named>() },
  { target: 'media', record: mediaRecord },
);
