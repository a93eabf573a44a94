import { z } from 'zod';
import type { ReleaseStats } from '#licensing/releases/releases/index.ts';
import { releaseChannels, releaseStates } from '../choices.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';
import type { ReleaseView } from './view.ts';

const percent = z.number().min(0).max(100);
const count = z.int().min(0);

/** `Release` of cli.md section 2. */
export const ReleaseShape = z.strictObject({
  id: z.string(),
  productId: z.string(),
  product: z.string(),
  version: z.string(),
  channel: z.enum(releaseChannels),
  platform: z.string(),
  arch: z.string(),
  state: z.enum(releaseStates),
  bundleFilename: z.string().nullable(),
  bundleSize: z.int().nullable(),
  bundleSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  signature: z.string().length(88).nullable(),
  keyId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable(),
  isCritical: z.boolean(),
  requiresMigration: z.boolean(),
  minFromVersion: z.string().nullable(),
  changelog: z.string(),
  publishedAt: Instant.nullable(),
  rollout: z.strictObject({ percent, effectivePercent: percent, paused: z.boolean() }),
  yankedReason: z.exactOptional(z.string()),
}) satisfies z.ZodType<ReleaseView>;

export const ReleasePage = pageShape(ReleaseShape);
export const ReleasePlan = ReleaseShape.extend({ dryRun });

/** `keyRegistered`: this run made the key the ACTIVE one of its product. */
export const ReleaseShipped = ReleasePlan.extend({ keyRegistered: z.boolean() });

/** `Result` of a draft that is gone. */
export const ReleaseDeleted = z.strictObject({
  ok: z.literal(true),
  action: z.literal('deleted'),
  id: z.string(),
  changed: z.boolean(),
  dryRun,
});

const counts = { checks: count, offers: count, downloads: count };

export const ReleaseStatsShape = z.strictObject({
  id: z.string(),
  ...counts,
  fromVersions: z.array(z.strictObject({ fromVersion: z.string(), ...counts })),
  days: z.array(z.strictObject({ day: z.string(), ...counts })),
}) satisfies z.ZodType<ReleaseStats>;

/** Files of a feed, in the order in which they were written. */
export const ReleaseFeedShape = z.strictObject({ files: z.array(z.string()), dryRun });
