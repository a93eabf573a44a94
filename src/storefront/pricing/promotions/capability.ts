import { capability } from '#kernel/capability.ts';
import { promotionEndpoints } from './endpoints.store.ts';
import { promotionCodeEvents, promotionEvents } from './events.ts';
import { promotionPages } from './pages.ts';
import { codeRegistryRecord, promotionCodeRecord, promotionRecord, redemptionRecord } from './record.ts';
import { promotionCodeResource, promotionResource, redemptionResource } from './resource.ts';

/** Coupons, automatic discounts, and goods that come with others. */
export const shopPromotions = capability({
  name: 'shop-promotions',
  events: [promotionEvents, promotionCodeEvents],
  resources: [promotionResource, promotionCodeResource, redemptionResource],
  pages: promotionPages,
  storeEndpoints: promotionEndpoints,
  records: [promotionRecord, promotionCodeRecord, codeRegistryRecord, redemptionRecord],
});
