import type { Job } from '#kernel/capability.ts';
import { deliverDue } from './delivery.ts';
import { expire } from './expiry.ts';

/** Ends cards whose time is over (storefront-domain 16). */
export const expireGiftCards: Job = {
  name: 'expire-gift-cards',
  description: 'Expires gift cards; their remaining balance is lost',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expire,
};

/** Sends cards that were bought for a later day. */
export const deliverGiftCards: Job = {
  name: 'deliver-gift-cards',
  description: 'Emails scheduled gift cards and activates them',
  everySeconds: 300,
  waitsAfterClockStep: true,
  run: deliverDue,
};
