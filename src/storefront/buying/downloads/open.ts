import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import {
  type LicenseFiles,
  licenseFiles,
  type OpenFile,
  releaseFile,
} from '#storefront/contract/extensions.ts';
import { endedFail, endOf, linkRefusals, recallLink, useLink } from './links.ts';
import { attachment } from './names.ts';
import { findGrant, type HeldGrant } from './queries.ts';
import type { DownloadGrant } from './record.ts';
import { takeDownload } from './repository.ts';

/** Bytes of a file, and what is said of it. */
type Source = Omit<OpenFile, 'version'>;

/**
 * What a download link sends. Nothing is used up before its first byte is at hand: a look at the headers, a refused
 * request and a file that cannot be read cost no download.
 *
 * @throws AppError NOT_FOUND, reason TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_USED; reading it does, too, when somebody was
 *   quicker
 */
export async function openDownload(ctx: Ctx, token: string): Promise<Content> {
  const link = await recallLink(ctx, token);
  const grant = await findGrant(ctx, link.subjectId);
  if (grant) requireOpen(ctx, grant, link.usedAt !== null);
  const source = grant ? await sourceOf(ctx, grant) : await licensed(ctx, link);
  if (!source) throw linkRefusals.unknown();
  return {
    type: 'application/octet-stream',
    size: source.bytes,
    etag: `"${source.sha256}"`,
    headers: headersOf(source),
    read: (start, end) => readOnce(ctx, { token, grant, source }, start, end),
    close: () => source.object.close(),
  };
}

/** @param isUsed its use was counted: its time and its number count no more */
function requireOpen(ctx: Ctx, grant: HeldGrant, isUsed: boolean): void {
  const end = endOf(ctx, grant);
  if (end === 'revoked') throw linkRefusals.unknown();
  if (end === 'suspended' || (end !== null && !isUsed)) throw endedFail(end, 'NOT_FOUND');
}

async function sourceOf(ctx: Ctx, grant: DownloadGrant): Promise<Source | null> {
  const { storageKey, sha256, bytes, fileName: name } = grant;
  if (storageKey === null || sha256 === null) return newestRelease(ctx, grant);
  const object = await ctx.media.open(storageKey);
  if (object?.size === bytes) return { name, bytes, sha256, signature: null, object };
  await object?.close();
  throw new Error(`the bytes of ${grant.id} are not where they were kept`);
}

/** Through the license of its line, which must allow it. */
export async function newestRelease(
  ctx: Ctx,
  { orderItemId, releaseChannel }: DownloadGrant,
): Promise<OpenFile | null> {
  for (const place of await ctx.filled(releaseFile)) {
    const found = await place.open(ctx, { orderItemId, channel: releaseChannel ?? '' });
    if (found === 'unreleased') throw linkRefusals.unreleased();
    if (found) return found;
  }
  return null;
}

async function licensed(ctx: Ctx, link: Parameters<LicenseFiles['open']>[1]): Promise<OpenFile | null> {
  for (const place of await ctx.filled(licenseFiles)) {
    const found = await place.open(ctx, link);
    if (found) return found;
  }
  return null;
}

const headersOf = ({ name, sha256, signature }: Source): Record<string, string> => ({
  'Content-Disposition': attachment(name),
  'X-Bundle-SHA256': sha256,
  ...(signature !== null && { 'X-Bundle-Signature': signature }),
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
});

/** What is read with a link. */
interface Reading {
  readonly token: string;
  /** null: of a license, which counts no downloads. */
  readonly grant: DownloadGrant | null;
  readonly source: Source;
}

async function* readOnce(
  ctx: Ctx,
  { token, grant, source }: Reading,
  start: number,
  end: number,
): AsyncIterable<Uint8Array> {
  const isWhole = start === 0 && end === source.bytes - 1;
  let isBegun = false;
  for await (const chunk of source.object.read(start, end)) {
    if (!isBegun) {
      await useLink(ctx, token, isWhole, async (ctx) => grant && take(ctx, grant.id));
      if (start === 0) source.begun?.();
    }
    isBegun = true;
    yield chunk;
  }
}

async function take(ctx: Ctx, id: string): Promise<void> {
  if (await takeDownload(ctx, id)) return;
  const grant = await findGrant(ctx, id);
  throw endedFail((grant && endOf(ctx, grant)) ?? 'used', 'NOT_FOUND');
}
