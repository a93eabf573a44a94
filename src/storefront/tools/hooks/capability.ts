import { capability } from '#kernel/capability.ts';
import { hookEndpoint } from './endpoints.store.ts';
import { hooksPage } from './page.ts';

/** What staff see of the operator's hooks. */
export const storeHooks = capability({
  name: 'store-hooks',
  storeEndpoints: [hookEndpoint],
  pages: [hooksPage],
});
