import type { Job } from '#kernel/capability.ts';
import { expire } from './reservations.ts';

/** Ends what orders hold beyond their time (storefront-domain 16). */
export const expireReservations: Job = {
  name: 'expire-reservations',
  description: 'Gives back the stock that orders held beyond their time',
  everySeconds: 60,
  waitsAfterClockStep: true,
  run: expire,
};
