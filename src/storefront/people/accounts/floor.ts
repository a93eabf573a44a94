import { sleep } from '#kernel/clock.ts';

/** So long an answer takes at least: whether an address has an account must not show in its time (M14). */
const FLOOR_MS = 400;

/** Does something in a time that tells nothing. */
export const unhurried = async <T>(work: Promise<T>): Promise<T> =>
  (await Promise.all([work, sleep(FLOOR_MS)]))[0];
