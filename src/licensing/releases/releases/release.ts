import type { ValuesOf } from '#kernel/db/record.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { releaseRecord } from './record.ts';

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

type Stored = ValuesOf<typeof releaseRecord>;
type Rolled = 'rolloutBps' | 'rolloutPaused' | 'rolloutSchedule';

/** A release as stored (licensing 8.4), with the slug of its product. */
export interface Release
  extends Omit<Stored, Rolled | 'extraSignatures' | 'formerSequences' | 'requiredEntitlements'> {
  productSlug: string;
  extraSignatures: { tauri?: string; sparkle?: string };
  formerSequences: Partial<Record<ReleaseChannel, number>>;
  requiredEntitlements: readonly string[];
  rollout: Rollout;
}
