/** As `max` of a bucket: it admits every request, and no answer speaks of it. */
export const UNLIMITED = 0;

/** Bounds of what an operator may set; a window of more than a day would be a quota. */
export const MOST_REQUESTS = 1_000_000_000;
export const LONGEST_WINDOW_SECONDS = 86_400;

/** One documented bucket: at most `max` requests in a window that opens with the first request of its key. */
export interface RateLimit {
  readonly bucket: string;
  readonly max: number;
  readonly windowSeconds: number;
  /**
   * Where its key comes from; without an account or a session the address is counted. `customer`: who signed in at the
   * shop, as only what is for customers has.
   */
  readonly by: 'ip' | 'credential' | 'account' | 'customer' | 'session' | 'email';
  /** A request whose input is refused gives its point back: who mistypes something has done nothing yet. */
  readonly sparesInput?: true;
}

/** A caller's own size of a bucket, in place of the general one. */
export interface OwnLimit {
  /** UNLIMITED for none. */
  readonly max: number;
  readonly windowSeconds: number;
}

/** An open window as it survives a graceful restart. */
export interface OpenWindow {
  readonly key: string;
  /** Requests counted so far; those that were refused count too. */
  readonly points: number;
  /** Wall clock, milliseconds since 1970: a monotonic time means nothing to the next process. */
  readonly endsMs: number;
}
