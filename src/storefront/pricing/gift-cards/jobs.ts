import type { Job } from '#kernel/capability.ts';
import { deliverDue } from './delivery.ts';
import { expire } from './expiry.ts';

/** Ends cards whose time is over (storefront-domain 16). */
export const expireGiftCards: Job = {
  name: 'expire-gift-cards',
  description: 'Ends gift cards whose time is over; what was left on them goes',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expire,
};

/** Sends cards that were bought for a later day. */
export const deliverGiftCards: Job = {
  name: 'deliver-gift-cards',
  description: 'Mails gift cards whose time has come, and lets them be used',
  everySeconds: 300,
  waitsAfterClockStep: true,
  run: deliverDue,
};
