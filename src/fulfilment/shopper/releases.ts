import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { type OwnRelease, releasesFor } from '#licensing/releases/updates/index.ts';
import { type DownloadLink, issueLink } from '#storefront/buying/downloads/index.ts';

/** What the link of a release brings along beside the id of its license. */
export const RELEASE = 'releaseId';

/** The releases that a license opens, the newest first; null for a license that opens none now. */
export async function openReleases(
  ctx: Ctx,
  licenseId: string,
  channel: ReleaseChannel,
): Promise<OwnRelease[] | null> {
  try {
    return await releasesFor(ctx, licenseId, channel);
  } catch (error) {
    if (isInactive(error)) return null;
    throw error;
  }
}

/**
 * The releases that a license opens, the newest first.
 *
 * @throws AppError VALIDATION_ERROR, reason LICENSE_INACTIVE, for a license that opens none now
 */
export async function releasesOf(
  ctx: Ctx,
  licenseId: string,
  channel: ReleaseChannel,
): Promise<OwnRelease[]> {
  const found = await openReleases(ctx, licenseId, channel);
  if (found) return found;
  throw fail('VALIDATION_ERROR', 'This license is not active, so it cannot download releases', {
    details: { reason: 'LICENSE_INACTIVE' },
  });
}

/** Why the license service gives nothing for a license: suspended, revoked, expired, unknown. */
export const isInactive = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'INVALID_LICENSE';

/** In which every release is that a license could open. */
export const WIDEST: ReleaseChannel = 'nightly';

/** A release that a license opens now. @throws AppError NOT_FOUND; as `releasesOf` */
export async function releaseOf(ctx: Ctx, licenseId: string, releaseId: string): Promise<OwnRelease> {
  const found = (await releasesOf(ctx, licenseId, WIDEST)).find((one) => one.releaseId === releaseId);
  if (found) return found;
  throw fail('NOT_FOUND', `release ${releaseId} does not exist`);
}

/**
 * A link that fetches a release once, through a license (fulfilment 9).
 *
 * @param licenseId of a license that whoever asks owns
 * @throws AppError as `releaseOf`
 */
export async function linkToRelease(
  ctx: Ctx,
  licenseId: string,
  releaseId: string,
): Promise<{ link: DownloadLink; release: OwnRelease }> {
  const release = await releaseOf(ctx, licenseId, releaseId);
  return { link: await issueLink(ctx, licenseId, { [RELEASE]: releaseId }), release };
}
