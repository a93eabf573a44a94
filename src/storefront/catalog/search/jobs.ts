import type { Job } from '#kernel/capability.ts';
import { indexMissing } from './indexing.ts';

/** Products are indexed as they change; this indexes those that were there before. */
export const indexProducts: Job = {
  name: 'index-shop-products',
  description: 'Adds new and changed products to the search index',
  everySeconds: 300,
  run: indexMissing,
};
