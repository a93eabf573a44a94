import { capability } from '#kernel/capability.ts';
import { taxEndpoints } from './endpoints.store.ts';
import { taxClassEvents, taxRateEvents, taxZoneEvents } from './events.ts';
import { taxClassRecord, taxRateRecord, taxZoneRecord, taxZoneRegionRecord } from './record.ts';
import { taxClassResource, taxRateResource, taxZoneResource } from './resource.ts';

/** Which tax is due where, on what. */
export const shopTax = capability({
  name: 'shop-tax',
  events: [taxClassEvents, taxZoneEvents, taxRateEvents],
  resources: [taxClassResource, taxZoneResource, taxRateResource],
  storeEndpoints: taxEndpoints,
  records: [taxClassRecord, taxZoneRecord, taxZoneRegionRecord, taxRateRecord],
});
