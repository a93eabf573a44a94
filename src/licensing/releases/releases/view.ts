import type { z } from 'zod';
import type { ReleaseReply } from './admin-replies.ts';
import type { Release } from './release.ts';
import { effectiveBps, toPercent } from './rollout.ts';

/** A release as the admin API and the commands print it (licensing 4.3). */
export type ReleaseView = z.output<typeof ReleaseReply>;

/**
 * Makes the printed form of a release.
 *
 * @param now ISO 8601 UTC: how far a rollout reaches depends on it
 */
export const releaseView = (release: Release, now: string): ReleaseView => {
  const { tenantId, formerSequences, archivedAt, ...shown } = release;
  const { id, productId, productSlug, extraSignatures, rollout, requiredEntitlements, ...told } = shown;
  return {
    id,
    productId,
    product: productSlug,
    ...told,
    extra: extraSignatures,
    requiredEntitlements: [...requiredEntitlements],
    rollout: {
      percent: toPercent(rollout.bps),
      effectivePercent: toPercent(effectiveBps(rollout, now)),
      paused: rollout.paused,
      schedule: [...rollout.schedule],
    },
  };
};
