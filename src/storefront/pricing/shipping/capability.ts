import { capability } from '#kernel/capability.ts';
import { shippingEndpoints } from './endpoints.store.ts';
import { shippingClassEvents, shippingMethodEvents, shippingZoneEvents } from './events.ts';
import { shippingRatesPage } from './rates-page.ts';
import {
  shippingClassRecord,
  shippingMethodRecord,
  shippingRateRecord,
  shippingZoneRecord,
  shippingZoneRegionRecord,
} from './record.ts';
import { shippingClassResource, shippingMethodResource, shippingZoneResource } from './resource.ts';

/** Where the shop ships to, how, and at what price. */
export const shopShipping = capability({
  name: 'shop-shipping',
  events: [shippingZoneEvents, shippingMethodEvents, shippingClassEvents],
  resources: [shippingZoneResource, shippingMethodResource, shippingClassResource],
  pages: [shippingRatesPage],
  storeEndpoints: shippingEndpoints,
  records: [
    shippingZoneRecord,
    shippingZoneRegionRecord,
    shippingMethodRecord,
    shippingRateRecord,
    shippingClassRecord,
  ],
});
