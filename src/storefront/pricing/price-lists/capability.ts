import { capability } from '#kernel/capability.ts';
import { priceTierEndpoints } from './endpoints.store.ts';
import { priceEvents, priceListEvents } from './events.ts';
import { priceListsLocal } from './local.ts';
import { priceListPages } from './pages.ts';
import { priceListRecord, priceRecord } from './record.ts';
import { priceListResource, priceResource } from './resource.ts';

/** Prices for some buyers, and what everybody pays for larger quantities. */
export const shopPriceLists = capability({
  ...priceListsLocal,
  events: [priceListEvents, priceEvents],
  resources: [priceListResource, priceResource],
  pages: priceListPages,
  storeEndpoints: priceTierEndpoints,
  records: [priceListRecord, priceRecord],
});
