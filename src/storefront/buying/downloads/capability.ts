import { capability } from '#kernel/capability.ts';
import { downloadEndpoints } from './endpoints.shop.ts';
import { downloadEvents } from './events.ts';
import { downloadGrantRecord } from './record.ts';
import { downloadResource } from './resource.ts';

/** Files that were bought, and how they are fetched. */
export const shopDownloads = capability({
  name: 'shop-downloads',
  storeEndpoints: downloadEndpoints,
  resources: [downloadResource],
  events: [downloadEvents],
  records: [downloadGrantRecord],
});
