import { change, defineEvents } from '#kernel/events.ts';
import { type ContentPage, contentPageRecord } from './record.ts';

type Told = Pick<ContentPage, 'title' | 'slug' | 'status'>;

/** What happens to the pages that staff write. */
export const contentEvents = defineEvents(
  'store',
  {
    'page.created': change<Told>(),
    'page.updated': change<Told>(),
    'page.deleted': change<Told>(),
  },
  { target: 'shop-pages', record: contentPageRecord },
);
