import type { Job } from '#kernel/capability.ts';
import { indexMissing } from './indexing.ts';

/** Products are indexed as they change; this indexes those that were there before. */
export const indexProducts: Job = {
  name: 'index-shop-products',
  description: 'Indexes products that the search of the shop does not know yet',
  everySeconds: 300,
  run: indexMissing,
};
