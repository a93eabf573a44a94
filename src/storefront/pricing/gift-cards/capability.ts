import { capability } from '#kernel/capability.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { giftCardPages } from './adjust-page.ts';
import { giftCardEndpoints } from './endpoints.shop.ts';
import { giftCardEvents } from './events.ts';
import { deliverGiftCards, expireGiftCards } from './jobs.ts';
import { giftCardDeliveryMail } from './mails.ts';
import { giftCardEntryRecord, giftCardHoldRecord, giftCardRecord } from './record.ts';
import { giftCardEntryResource, giftCardResource } from './resource.ts';

/** Money that a code pays with. */
export const shopGiftCards = capability({
  name: 'shop-gift-cards',
  enabledBy: featureSettings.gift_cards_enabled,
  events: [giftCardEvents],
  resources: [giftCardResource, giftCardEntryResource],
  pages: giftCardPages,
  storeEndpoints: giftCardEndpoints,
  jobs: [deliverGiftCards, expireGiftCards],
  mails: [giftCardDeliveryMail],
  records: [giftCardRecord, giftCardEntryRecord, giftCardHoldRecord],
});
