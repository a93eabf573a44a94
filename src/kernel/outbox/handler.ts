import type { Ctx } from '../context.ts';

/** One entry of the outbox that a worker holds. */
export interface OutboxEntry {
  readonly id: string;
  readonly kind: string;
  /** Id of the delivery or mail row that holds the frozen content. */
  readonly refId: string;
  readonly target: string;
  /** Attempts that have ended; a crash in the middle of one repeats its number (M6). */
  readonly attempts: number;
  /** It is one of those that the handler allowed of a target that fails (`remainingOf`). */
  readonly isCounted: boolean;
}

/** What becomes of an entry after an attempt: it waits until `retryAt` (ISO time), or it has ended and is deleted. */
export type Settlement = { readonly retryAt: string } | 'ended';

/** Writes the outcome of an attempt. It runs in the transaction that releases the entry, and only while it is held. */
export type Settle = (ctx: Ctx) => Promise<Settlement>;

/** An attempt that was made; `isFailure` when its outcome may take something away of what `remainingOf` allows. */
export interface Attempted {
  readonly settle: Settle;
  readonly isFailure: boolean;
}

/** What sends the entries of one kind. */
export interface OutboxHandler {
  readonly kind: string;
  /** The longest time, in seconds, that an entry ever waits for its next attempt; beyond it a clock was wrong (M20). */
  readonly longestWaitSeconds: number;
  /** Seconds of the lease that an attempt and its outcome need; 12 when it does not say. */
  readonly neededSeconds?: number;
  /**
   * Makes one attempt, outside of any transaction; it must end by itself 2 s before what it needs is over, and does not
   * throw for what a receiver does.
   *
   * @returns what writes the outcome; `put back` when the target fails and the entry is not counted: nothing was sent
   */
  attempt(ctx: Ctx, entry: OutboxEntry): Promise<Attempted | 'put back'>;
  /**
   * How many entries of a target may be under way at this moment, in all processes together; null when it does not
   * fail, and its turn alone decides.
   */
  remainingOf?(ctx: Ctx, target: string): Promise<number | null>;
}
