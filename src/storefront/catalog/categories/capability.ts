import { capability } from '#kernel/capability.ts';
import { categoryEvents } from './events.ts';
import { categoryRecord } from './record.ts';
import { categoryResource } from './resource.ts';

/** The tree that the products of the shop are sorted into. */
export const shopCategories = capability({
  name: 'shop-categories',
  events: [categoryEvents],
  resources: [categoryResource],
  records: [categoryRecord],
});
