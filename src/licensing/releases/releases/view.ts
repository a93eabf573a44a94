import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import type { Release } from './release.ts';
import { effectiveBps, toPercent } from './rollout.ts';
import { RELEASE_STATES } from './states.ts';

const percent = () => z.number().min(0).max(100);

/** A release as staff sees it. */
export const ReleaseView = later(() =>
  z
    .object({
      id: z.string(),
      productId: z.string(),
      /** Slug. */
      product: z.string(),
      version: z.string(),
      channel: z.enum(RELEASE_CHANNELS),
      /** Empty: any. */
      platform: z.string(),
      arch: z.string(),
      state: z.enum(RELEASE_STATES),
      changelog: z.string(),
      bundleFilename: z.string().nullable(),
      bundleSize: count().nullable(),
      bundleSha256: z.string().nullable(),
      bundleSha512: z.string().nullable(),
      signature: z.string().nullable(),
      keyId: z.string().nullable(),
      /** Whether feeds for Tauri (6.12) and Sparkle can offer it. */
      extra: z.object({ tauri: z.string().optional(), sparkle: z.string().optional() }),
      statement: z.string().nullable(),
      statementSignature: z.string().nullable(),
      sequence: count().nullable(),
      statementExpiresAt: instant().nullable(),
      isCritical: z.boolean(),
      requiresMigration: z.boolean(),
      minFromVersion: z.string().nullable(),
      requiredEntitlements: z.array(z.string()),
      rollout: z.object({
        percent: percent(),
        effectivePercent: percent(),
        paused: z.boolean(),
        schedule: z.array(z.object({ at: instant(), percent: percent() })),
      }),
      /** In the future: offered from then on. */
      publishedAt: instant().nullable(),
      yankedAt: instant().nullable(),
      yankedReason: z.string().nullable(),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'Release' }),
);

/** A release as the admin API and the commands print it. */
export type ReleaseView = z.output<typeof ReleaseView>;

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

const counts = { checks: count(), offers: count(), downloads: count() };

/** GET /releases/{id}/stats. */
export const ReleaseStatsView = later(() =>
  z
    .object({
      id: z.string(),
      ...counts,
      fromVersions: z.array(z.object({ fromVersion: z.string(), ...counts })),
      days: z.array(z.object({ day: z.string(), ...counts })),
    })
    .meta({ id: 'ReleaseStats' }),
);
export type ReleaseStats = z.output<typeof ReleaseStatsView>;

/** PUT /releases/{id}/bundle. */
export const BundleView = later(() =>
  z
    .object({
      sha256: z.string(),
      sha512: z.string(),
      size: count(),
      release: ReleaseView,
    })
    .meta({ id: 'Bundle' }),
);
