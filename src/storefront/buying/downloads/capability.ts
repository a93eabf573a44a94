import { capability } from '#kernel/capability.ts';
import { downloadEndpoints } from './endpoints.shop.ts';
import { downloadGrantRecord } from './record.ts';

/** Files that were bought, and how they are fetched. */
export const shopDownloads = capability({
  name: 'shop-downloads',
  storeEndpoints: downloadEndpoints,
  records: [downloadGrantRecord],
});
