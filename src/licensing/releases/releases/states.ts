/** Where a release stands (D93). */
export const RELEASE_STATES = ['DRAFT', 'PUBLISHED', 'YANKED', 'ARCHIVED'] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

/** From `at` on the release reaches `percent`, 0 to 100. */
export interface RolloutStep {
  at: string;
  percent: number;
}

/** Staged rollout (licensing 6.4). */
export interface Rollout {
  /** Basis points, 0 to 10,000. */
  bps: number;
  paused: boolean;
  /** Ascending by `at`; at most 20. */
  schedule: readonly RolloutStep[];
}
