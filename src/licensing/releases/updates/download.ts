import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import { openBundle } from '../bundles/index.ts';
import { noteDownload } from './continued.ts';
import { count } from './counts.ts';
import { attachment } from './disposition.ts';
import { type ServedRelease, servedRelease } from './served.ts';

/** What is asked for, and by whom. */
export interface DownloadAsked {
  readonly releaseId: string;
  /** The installed version; empty when it was not said (D91). */
  readonly fromVersion: string;
  /** The name that the address ends in, where it has one. */
  readonly filename?: string;
  readonly machineId: string;
  /** As it was sent: parts of one download are known by it (D15). */
  readonly licenseKey: string;
}

/**
 * Opens the bundle of a release (spec, GET /api/v1/updates/download; D90 to D92). Its bytes have been verified.
 *
 * @throws AppError INVALID_LICENSE; NOT_FOUND; SERVER_ERROR when the stored bytes are not what was published
 */
export async function openDownload(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: DownloadAsked,
): Promise<Content> {
  const { fromVersion, filename, machineId, licenseKey } = asked;
  const release = await servedRelease(ctx, standing, asked.releaseId, machineId);
  if (filename !== undefined && filename !== release.bundleFilename) {
    throw fail('NOT_FOUND', 'Release not found');
  }
  const content = await openServed(ctx, release, fromVersion);
  noteDownload(ctx, licenseKey, release.id);
  return content;
}

/**
 * Opens the bytes of a release that may be served. They are counted as a download when the first of them is sent.
 *
 * @param fromVersion the installed version; empty when it was not said
 * @throws AppError SERVER_ERROR when the stored bytes are not what was published
 */
export async function openServed(ctx: Ctx, release: ServedRelease, fromVersion: string): Promise<Content> {
  const { id, version, bundleSha256: sha256, bundleSize: size } = release;
  const bundle = await openBundle(
    ctx.with({ tenantId: release.tenantId }),
    { sha256, size },
    { releaseId: id, version, filename: release.bundleFilename },
  );
  return {
    type: 'application/octet-stream',
    size: bundle.size,
    etag: `"${sha256}"`,
    headers: headersOf(release),
    read: (start, end) => bundle.read(start, end),
    close: () => bundle.close(),
    begun: () => count(ctx, id, fromVersion, 'downloads'),
  };
}

function headersOf(release: ServedRelease): Record<string, string> {
  const { statement, statementSignature } = release;
  return {
    'Content-Disposition': attachment(release.bundleFilename),
    'X-Bundle-SHA256': release.bundleSha256,
    'X-Bundle-Signature': release.signature,
    ...(statement !== null && { 'X-Release-Statement': statement }),
    ...(statementSignature !== null && { 'X-Release-Statement-Signature': statementSignature }),
  };
}
