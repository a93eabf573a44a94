import type { Ctx } from '#kernel/context.ts';
import type { UpdateStanding } from '../validation/index.ts';
import type { ManifestAnswer } from './schemas.ts';
import { servedRelease } from './served.ts';
import { shownRelease } from './shown.ts';

/**
 * Describes the release of an id (spec, GET /api/v1/updates/manifest; D90). The flags are its own (D89).
 *
 * @throws AppError INVALID_LICENSE, NOT_FOUND
 */
export async function manifest(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: { release_id: string; nonce?: string | undefined },
  machineId: string,
): Promise<ManifestAnswer> {
  const release = await servedRelease(ctx, standing, asked.release_id, machineId);
  return {
    ...shownRelease(release),
    filename: release.bundleFilename,
    size: release.bundleSize,
    channel: release.channel,
    is_critical: release.isCritical,
    requires_migration: release.requiresMigration,
    ...(asked.nonce !== undefined && { nonce: asked.nonce }),
  };
}
