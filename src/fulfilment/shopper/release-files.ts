import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { RELEASE_CHANNELS, type ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { latestFor, openBundleFor } from '#licensing/releases/updates/index.ts';
import type {
  DeliveredLicense,
  LicenseFile,
  LicenseFiles,
  OpenFile,
  ReleaseFiles,
} from '#storefront/contract/extensions.ts';
import { isOfOrder, licensesOfLine } from './queries.ts';
import { isInactive, openReleases, RELEASE, releaseOf } from './releases.ts';

/** Releases through licenses, by one-time links (fulfilment section 9). */
export const releaseLinks: LicenseFiles = {
  async newestOf(ctx, licenses) {
    const files = new Map<string, LicenseFile>();
    // The licenses of a line open the same: the first that works speaks for all of them.
    const lines = new Map(
      licenses
        .filter(({ status }) => status === 'ACTIVE')
        .toReversed()
        .map((one) => [one.orderItemId ?? one.id, one]),
    );
    for (const license of [...lines.values()].toReversed())
      for (const file of await newestFiles(ctx, license)) files.set(file.releaseId, file);
    return [...files.values()];
  },
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

async function newestFiles(ctx: Ctx, { id, product }: DeliveredLicense): Promise<LicenseFile[]> {
  const releases = (await openReleases(ctx, id, 'stable')) ?? [];
  return releases
    .filter(({ version }) => version === releases[0]?.version)
    .map(({ releaseId, version, filename, platform, arch, sizeBytes, sha256 }) => ({
      ...{ licenseId: id, releaseId, product, version, fileName: filename, bytes: sizeBytes, sha256 },
      platform: [platform, arch].filter(Boolean).join(' ') || null,
    }));
}

/** The newest release of a channel, through the first license of an order's line that opens one. */
export const newestReleases: ReleaseFiles = {
  channels: RELEASE_CHANNELS,
  async open(ctx, { orderItemId, channel }) {
    const asked = RELEASE_CHANNELS.find((one) => one === channel);
    const licenses = asked === undefined ? [] : await licensesOfLine(ctx, orderItemId);
    let hasEnded = false;
    for (const licenseId of licenses) {
      const newest = await newestOf(ctx, licenseId, asked ?? 'stable');
      if (newest === 'ended') hasEnded = true;
      else if (newest !== null) return openRelease(ctx, licenseId, newest);
    }
    return hasEnded ? null : 'unreleased';
  },
};

/** @returns the id of the release; null before there is one, `ended` where the license opens nothing */
async function newestOf(ctx: Ctx, licenseId: string, channel: ReleaseChannel): Promise<string | null> {
  try {
    return (await latestFor(ctx, licenseId, channel))?.releaseId ?? null;
  } catch (error) {
    if (isInactive(error)) return 'ended';
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
