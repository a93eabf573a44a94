import { addSeconds } from '../clock.ts';
import { newToken } from '../crypto.ts';
import type { Moment } from './claims/repository.ts';

/** Longer than the longest attempt and its queueing (M6). */
const LEASE_SECONDS = 30;
/** Clocks of two processes may differ by this much before what one of them wrote is taken for a mistake. */
export const TOLERANCE_SECONDS = 60;

/** ISO time at which an entry that is claimed now is free again. */
export const leaseUntil = (now: string): string => addSeconds(now, LEASE_SECONDS);

/** A moment, with the latest end that a lease can have then. */
export const momentOf = (now: string): Moment => ({
  now,
  held_at_latest: addSeconds(now, LEASE_SECONDS + TOLERANCE_SECONDS),
});

/** What entries are claimed with at a moment: nobody else takes them until its end. */
export const newLease = (now: string): Moment & { token: string; until: string } => ({
  ...momentOf(now),
  token: newToken(''),
  until: leaseUntil(now),
});
