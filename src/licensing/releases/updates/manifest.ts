import type { Ctx } from '#kernel/context.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import { rememberedReleases } from './catalogue.ts';
import { questionOf } from './check.ts';
import { type Flags, flagsOnTheWay } from './choose.ts';
import type { ManifestAnswer, ManifestAsked } from './schemas.ts';
import { type ServedRelease, servedRelease } from './served.ts';
import { shownRelease } from './shown.ts';

/**
 * Describes the release of an id (spec, GET /api/v1/updates/manifest; D90). The flags are its own; to a caller who says
 * what is installed they are those that check tells of the way from there (D89).
 *
 * @throws AppError INVALID_LICENSE, NOT_FOUND
 */
export async function manifest(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: ManifestAsked,
  machineId: string,
): Promise<ManifestAnswer> {
  const release = await servedRelease(ctx, standing, asked.release_id, machineId);
  const { isCritical, requiresMigration } = await flagsFor(ctx, standing, asked, release);
  return {
    ...shownRelease(release),
    filename: release.bundleFilename,
    size: release.bundleSize,
    channel: release.channel,
    is_critical: isCritical,
    requires_migration: requiresMigration,
    ...(asked.current_version !== undefined && { current_version: asked.current_version }),
    ...(asked.nonce !== undefined && { nonce: asked.nonce }),
  };
}

async function flagsFor(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: ManifestAsked,
  release: ServedRelease,
): Promise<Flags> {
  const { current_version, channel = release.channel } = asked;
  if (current_version === undefined) return release;
  const { candidates } = await rememberedReleases(ctx, standing.product.id, standing.releasesVersion);
  const target = { platform: asked.platform || release.platform, arch: asked.arch || release.arch };
  const now = ctx.now();
  const question = questionOf(standing, { current_version, channel, ...target, key_ids: undefined }, '', now);
  return flagsOnTheWay(candidates, release, question, now);
}
