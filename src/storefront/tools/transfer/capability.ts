import { capability } from '#kernel/capability.ts';
import { transferEndpoints } from './endpoints.store.ts';

/** Whole products out of the shop and into it, as files. */
export const shopTransfer = capability({ name: 'shop-transfer', storeEndpoints: transferEndpoints });
