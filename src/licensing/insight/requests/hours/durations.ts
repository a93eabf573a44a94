import type { Counted } from './queries.ts';

/** Bounds of durations in milliseconds, each a third or so above the one before: percentiles are right within it. */
const BOUNDS: readonly number[] = [
  1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 40, 55, 75, 100, 140, 200, 280, 400, 550, 750, 1000, 1400, 2000, 2800,
  4000, 5500, 7500, 10_000, 30_000, 3_600_000,
];
const LONGEST = 3_600_000;

/** The bound that a duration is counted below. @param ms of any length */
export const boundOf = (ms: number): number => BOUNDS.find((bound) => ms <= bound) ?? LONGEST;

/** The next smaller bound: what is counted below `bound` took longer. */
const boundBelow = (bound: number): number => BOUNDS[BOUNDS.indexOf(bound) - 1] ?? 0;

/**
 * How long so many of a hundred requests took at most, in milliseconds: within the bounds of the duration that holds it,
 * as if they were spread evenly there. Null where there were none.
 */
export function percentile(
  counted: readonly Pick<Counted, 'upToMs' | 'requests'>[],
  part: number,
): number | null {
  const all = counted.reduce((sum, { requests }) => sum + requests, 0);
  if (all === 0) return null;
  const wanted = (all * part) / 100;
  let below = 0;
  for (const { upToMs, requests } of counted.toSorted((one, other) => one.upToMs - other.upToMs)) {
    if (below + requests >= wanted) {
      const lower = boundBelow(upToMs);
      return lower + (upToMs - lower) * ((wanted - below) / requests);
    }
    below += requests;
  }
  return null;
}
