/**
 * What one transaction of a long walk over a table did; `next` is where the following one begins, null when there is
 * nothing more.
 */
export interface Step<Place> {
  changed: number;
  next: Place | null;
}

/** Rows of one transaction: on SQLite other writers wait for it (C16). */
export const STEP_ROWS = 500;

/** A step of a walk that leaves nothing standing behind it, so that each begins at the oldest. */
export const stepOf = (changed: number, rows = STEP_ROWS): Step<true> => ({
  changed,
  next: changed < rows ? null : true,
});
