/** Usage as the spec prints it: without a limit only `current` and `max: null` (D80). */
export type Usage =
  | { current: number; max: null }
  | { current: number; max: number; remaining: number; percentUsed: number };

/**
 * The usage object of record-usage and validate (D20, D30, D80).
 *
 * @param current counter
 * @param max effective maxUses; null = unlimited
 */
export function usageOf(current: number, max: number | null): Usage {
  if (max === null) return { current, max };
  return { current, max, remaining: Math.max(0, max - current), percentUsed: percentUsed(current, max) };
}

/** current / max × 100 with at most two decimals; a limit of 0 is always used up (D30). */
export const percentUsed = (current: number, max: number): number =>
  max === 0 ? 100 : Math.round((current / max) * 10_000) / 100;

/**
 * Which marks a recorded use crosses, in the order of their events (D79). A reset or a raised limit re-arms them
 * by arithmetic.
 *
 * @param before counter before the use
 * @param after counter after it
 */
export function crossedMarks(
  before: number,
  after: number,
  max: number | null,
): ('USAGE_WARNING' | 'USAGE_EXHAUSTED')[] {
  if (max === null) return [];
  const marks: ('USAGE_WARNING' | 'USAGE_EXHAUSTED')[] = [];
  if (before * 100 < 80 * max && 80 * max <= after * 100) marks.push('USAGE_WARNING');
  if (before < max && max <= after) marks.push('USAGE_EXHAUSTED');
  return marks;
}
