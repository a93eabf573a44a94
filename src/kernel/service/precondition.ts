import { fail } from './errors.ts';

/** In which state something may be changed. */
export interface Condition {
  /** `updatedAt` as the caller read it; undefined changes any state. */
  readonly ifMatch?: string | undefined;
}

/**
 * Refuses to change what somebody else has changed since the caller read it (If-Match, licensing 4.1). Call it with
 * the row locked.
 *
 * @param id names it in the refusal
 * @param updatedAt of the row as it is now; undefined when there is none
 * @param ifMatch `updatedAt` as the caller read it; undefined changes it in any case
 * @throws AppError PRECONDITION_FAILED (412)
 */
export function requireUnchanged(
  id: string,
  updatedAt: string | undefined,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined || ifMatch === updatedAt) return;
  throw fail('PRECONDITION_FAILED', `${id} has changed in the meantime; read it again`);
}
