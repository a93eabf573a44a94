import type { ValuesOf } from '#kernel/db/record.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { releaseRecord } from './record.ts';
import type { Rollout } from './states.ts';

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
