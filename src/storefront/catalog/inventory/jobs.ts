import type { Job } from '#kernel/capability.ts';
import { expire } from './reservations.ts';

/** Ends what orders hold beyond their time (storefront-domain 16). */
export const expireReservations: Job = {
  name: 'expire-reservations',
  description: 'Releases stock of orders whose reservation expired',
  everySeconds: 60,
  waitsAfterClockStep: true,
  run: expire,
};
