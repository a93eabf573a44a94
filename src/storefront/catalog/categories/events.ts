import { change, defineEvents } from '#kernel/events.ts';
import { type Category, categoryRecord } from './record.ts';

type Told = Pick<Category, 'name' | 'slug' | 'path'>;

/** What happens to categories of the shop. Those under one that moves follow it, and are told with it. */
export const categoryEvents = defineEvents(
  'store',
  {
    'category.created': change<Told>(),
    'category.updated': change<Told>(),
    'category.deleted': change<Told>(),
  },
  { target: 'shop-categories', record: categoryRecord },
);
