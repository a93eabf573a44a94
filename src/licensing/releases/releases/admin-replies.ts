/** Objects of the admin API about releases (licensing 4.3, AdminRelease). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { RELEASE_STATES } from './release.ts';

const percent = () => z.number().min(0).max(100);

/** A release as staff sees it. */
export const ReleaseReply = z
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
  .meta({ id: 'Release' });

export const ReleasePage = z.object({ items: z.array(ReleaseReply), pagination: Pagination });

const counts = { checks: count(), offers: count(), downloads: count() };

/** GET /releases/{id}/stats. */
export const ReleaseStatsReply = z.object({
  id: z.string(),
  ...counts,
  fromVersions: z.array(z.object({ fromVersion: z.string(), ...counts })),
  days: z.array(z.object({ day: z.string(), ...counts })),
});

/** PUT /releases/{id}/bundle. */
export const BundleReply = z
  .object({
    sha256: z.string(),
    sha512: z.string(),
    size: count(),
    release: ReleaseReply,
  })
  .meta({ id: 'Bundle' });
