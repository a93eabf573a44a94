import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { RELEASE_CHANNELS, type ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { latestFor, openBundleFor } from '#licensing/releases/updates/index.ts';
import type { LicenseFiles, OpenFile, ReleaseFiles } from '#storefront/contract/extensions.ts';
import { isOfOrder, licensesOfLine } from './queries.ts';
import { isInactive, RELEASE, releaseOf } from './releases.ts';

/** Releases through licenses, by one-time links (fulfilment section 9). */
export const releaseLinks: LicenseFiles = {
  async linkOf(ctx, { id }, { licenseId, releaseId }) {
    if (!(await isOfOrder(ctx, id, licenseId))) return null;
    await releaseOf(ctx, licenseId, releaseId);
    return { subjectId: licenseId, data: { [RELEASE]: releaseId } };
  },
  async open(ctx, { subjectId, data }) {
    const releaseId = data[RELEASE];
    return releaseId === undefined ? null : openRelease(ctx, subjectId, releaseId);
  },
};

/** The newest release of a channel, through the first license of an order's line that opens one. */
export const newestReleaseOf: ReleaseFiles = async (ctx, { orderItemId, channel }) => {
  const asked = RELEASE_CHANNELS.find((one) => one === channel);
  if (asked === undefined) return null;
  for (const licenseId of await licensesOfLine(ctx, orderItemId)) {
    const newest = await newestOf(ctx, licenseId, asked);
    if (newest) return openRelease(ctx, licenseId, newest);
  }
  return null;
};

async function newestOf(ctx: Ctx, licenseId: string, channel: ReleaseChannel): Promise<string | null> {
  try {
    return (await latestFor(ctx, licenseId, channel))?.releaseId ?? null;
  } catch (error) {
    if (isInactive(error)) return null;
    throw error;
  }
}

/** null where the license does not open it any more, or the release was withdrawn. */
async function openRelease(ctx: Ctx, licenseId: string, releaseId: string): Promise<OpenFile | null> {
  try {
    const bundle = await openBundleFor(ctx, licenseId, releaseId);
    const { content, filename: name, sizeBytes: bytes, sha256, signature, version } = bundle;
    return {
      ...{ name, bytes, sha256, signature, version },
      object: { read: (start, end) => content.read(start, end), close: () => content.close() },
      begun: () => content.begun?.(),
    };
  } catch (error) {
    if (isInactive(error) || (error instanceof AppError && error.code === 'NOT_FOUND')) return null;
    throw error;
  }
}
