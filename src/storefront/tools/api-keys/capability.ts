import { capability } from '#kernel/capability.ts';
import { storeKeyResource } from './resource.ts';

/** Administration of the keys that open the shop's API. */
export const storeKeyAdministration = capability({
  name: 'store-api-keys',
  resources: [storeKeyResource],
});
