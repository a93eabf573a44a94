import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { isStopping } from './stopping.ts';

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

/** A million rows of a table in one run, so that other jobs get their turn; the rest waits for the next run. */
const MOST_CHANGING_STEPS = 2000;

/**
 * Takes steps, each a transaction of its own, until one says that it was the last; the sum of what they changed. Steps
 * over rows that stay do not count: each run begins anew, and would never come to what lies behind many of them. A process
 * that ends begins no further step.
 */
export async function takeSteps<Place>(
  ctx: Ctx,
  take: (ctx: Ctx, after: Place | null) => Promise<Step<Place>>,
): Promise<number> {
  let changed = 0;
  let after: Place | null = null;
  for (let changing = 0; changing < MOST_CHANGING_STEPS && !isStopping(ctx); ) {
    const from: Place | null = after;
    const step: Step<Place> = await ctx.tx((ctx) => take(ctx, from));
    changed += step.changed;
    if (step.changed > 0) changing += 1;
    if (step.next === null) break;
    after = step.next;
    await nextTurn();
  }
  return changed;
}
