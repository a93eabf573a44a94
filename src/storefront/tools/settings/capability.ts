import { capability } from '#kernel/capability.ts';
import { shopConfigEndpoints } from './endpoints.shop.ts';
import { storeSettingsEndpoints } from './endpoints.store.ts';

/** Settings and features of the shop, for staff; and what its pages need to know of them. */
export const storeAdministration = capability({
  name: 'store-settings',
  storeEndpoints: [...shopConfigEndpoints, ...storeSettingsEndpoints],
});
