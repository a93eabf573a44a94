import type { Job } from '#kernel/capability.ts';
import { expire } from './expiry.ts';

/** Ends cards whose time is over (storefront-domain 16). */
export const expireGiftCards: Job = {
  name: 'expire-gift-cards',
  description: 'Ends gift cards whose time is over; what was left on them goes',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expire,
};
