import { change, defineEvents } from '#kernel/events.ts';
import { type Collection, collectionRecord } from './record.ts';

type Told = Pick<Collection, 'title' | 'slug' | 'kind'>;

/** What happens to collections of the shop. */
export const collectionEvents = defineEvents(
  'store',
  {
    'collection.created': change<Told>(),
    'collection.updated': change<Told>(),
    'collection.deleted': change<Told>(),
  },
  { target: 'shop-collections', record: collectionRecord },
);
