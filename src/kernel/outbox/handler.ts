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
}

/** What becomes of an entry after an attempt: it waits until `retryAt` (ISO time), or it has ended and is deleted. */
export type Settlement = { readonly retryAt: string } | 'ended';

/** Writes the outcome of an attempt. It runs in the transaction that releases the entry, and only while it is held. */
export type Settle = (ctx: Ctx) => Promise<Settlement>;

/** What sends the entries of one kind. */
export interface OutboxHandler {
  readonly kind: string;
  /** The longest time, in seconds, that an entry ever waits for its next attempt; beyond it a clock was wrong (M20). */
  readonly longestWaitSeconds: number;
  /**
   * Makes one attempt, outside of any transaction; it must end within 10 s by itself, and does not throw for what a
   * receiver does.
   *
   * @returns what writes the outcome
   */
  attempt(ctx: Ctx, entry: OutboxEntry): Promise<Settle>;
}
