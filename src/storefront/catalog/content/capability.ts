import { capability } from '#kernel/capability.ts';
import { contentChecks } from './checks.ts';
import { shopPageEndpoints } from './endpoints.shop.ts';
import { contentEvents } from './events.ts';
import { contentPageRecord, pageRedirectRecord } from './record.ts';
import { pageResource } from './resource.ts';

/** What the shop has to say beside its products: pages that staff write. */
export const shopContent = capability({
  name: 'shop-content',
  events: [contentEvents],
  resources: [pageResource],
  checks: contentChecks,
  storeEndpoints: shopPageEndpoints,
  records: [contentPageRecord, pageRedirectRecord],
});
