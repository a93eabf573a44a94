import { capability } from '#kernel/capability.ts';
import { savedViewEvents } from './events.ts';
import { listChoiceRecord, savedViewRecord } from './record.ts';

/** What members of staff saved of the lists of the panel, whose pages show it. */
export const savedViews = capability({
  name: 'saved-views',
  events: [savedViewEvents],
  records: [savedViewRecord, listChoiceRecord],
});
