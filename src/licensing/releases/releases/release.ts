import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';

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

/** A release as stored (licensing 8.4). Times are ISO 8601 UTC with milliseconds. */
export interface Release {
  id: string;
  tenantId: string;
  productId: string;
  productSlug: string;
  /** Semver 2.0 without a leading v. */
  version: string;
  channel: ReleaseChannel;
  platform: string;
  arch: string;
  state: ReleaseState;
  changelog: string;
  bundleFilename: string | null;
  bundleSize: number | null;
  /** Lower-case hex. */
  bundleSha256: string | null;
  /** Base64. */
  bundleSha512: string | null;
  /** Base64, 88 characters (D96). */
  signature: string | null;
  keyId: string | null;
  /**
   * What other updaters check: `tauri` is the content of a Tauri `.sig` file (licensing 6.12), `sparkle` base64 over the
   * bytes themselves.
   */
  extraSignatures: { tauri?: string; sparkle?: string };
  /** `release/<P>` (licensing 6.3). */
  statement: string | null;
  statementSignature: string | null;
  sequence: number | null;
  /** What it had on the channels that it was promoted from: clients remember it (6.3). */
  formerSequences: Partial<Record<ReleaseChannel, number>>;
  statementExpiresAt: string | null;
  isCritical: boolean;
  requiresMigration: boolean;
  minFromVersion: string | null;
  requiredEntitlements: readonly string[];
  rollout: Rollout;
  /** In the future: published, and offered from then on. */
  publishedAt: string | null;
  /** Stays when it is withdrawn. */
  archivedAt: string | null;
  yankedAt: string | null;
  yankedReason: string | null;
  createdAt: string;
  updatedAt: string;
}
