/** One thing to send after the commit. */
export interface OutboxRow {
  /** Which handler takes it: `webhook`, `mail`. */
  readonly kind: string;
  /** Whom it goes to: of one target only a few are on their way at once, and targets take turns (M6). */
  readonly target: string;
  /** Id of the delivery or mail row that holds the frozen content. */
  readonly refId: string;
  /** ISO time from which on it may be taken. */
  readonly availableAt: string;
}
