import { change, defineEvents } from '#kernel/events.ts';
import { savedViewRecord } from './record.ts';

interface Named {
  name: string;
  list: string;
}

/** What happens to views that others see; the own ones of somebody concern nobody else. */
export const savedViewEvents = defineEvents(
  'platform',
  { VIEW_SHARED: change<Named>(), VIEW_WITHDRAWN: change<Named>() },
  { target: 'saved-views', record: savedViewRecord },
);
