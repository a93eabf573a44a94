/** Upper ends of the steps in which durations are counted, in milliseconds; what takes longer is `more`. */
export const STEPS = [1, 2, 5, 10, 25, 50, 100, 250, 1000, 5000] as const;

/** The columns of the steps, the shortest first. */
export const STEP_COLUMNS = [...STEPS.map((step) => `ms${step}`), 'ms_more'] as const;

/** In which step a duration is counted. @param ms at least 0 */
export function stepOf(ms: number): number {
  const at = STEPS.findIndex((step) => ms <= step);
  return at === -1 ? STEPS.length : at;
}

/**
 * The duration that so many percent of the calls stayed below, as exactly as steps tell: evenly spread within each.
 *
 * @param counts of each step, the shortest first
 * @returns milliseconds; the last step's beginning for what takes longer than all of them; null without a call
 */
export function percentile(counts: readonly number[], percent: number): number | null {
  const wanted = (counts.reduce((sum, one) => sum + one, 0) * percent) / 100;
  if (wanted === 0) return null;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (below + count < wanted) {
      below += count;
      continue;
    }
    const [from = 0, to = from] = [STEPS[at - 1], STEPS[at] ?? STEPS[at - 1]];
    return Math.round((from + ((to - from) * (wanted - below)) / count) * 10) / 10;
  }
  return STEPS.at(-1) ?? null;
}
