import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { endedFail, endOf, linkRefusals, recallLink, useLink } from './links.ts';
import { attachment } from './names.ts';
import type { DownloadGrant } from './record.ts';
import { findGrant, takeDownload } from './repository.ts';

/** Bytes of a file, and what is said of it. */
interface Source {
  readonly fileName: string;
  readonly sha256: string;
  readonly size: number;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * What a download link sends. Nothing is used up before its first byte is at hand: a look at the headers, a refused
 * request and a file that cannot be read cost no download.
 *
 * @throws AppError NOT_FOUND, reason TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_USED; reading it does, too, when somebody was
 *   quicker
 */
export async function openDownload(ctx: Ctx, token: string): Promise<Content> {
  const { subjectId, usedAt } = await recallLink(ctx, token);
  const grant = await findGrant(ctx, subjectId);
  if (!grant || grant.revokedAt !== null) throw linkRefusals.unknown();
  const end = usedAt === null ? endOf(ctx, grant) : null;
  if (end !== null) throw endedFail(end, 'NOT_FOUND');
  const source = await sourceOf(ctx, grant);
  return {
    type: 'application/octet-stream',
    size: source.size,
    etag: `"${source.sha256}"`,
    headers: headersOf(source),
    read: (start, end) => readOnce(ctx, token, grant, source, start, end),
    close: () => source.close(),
  };
}

async function sourceOf(ctx: Ctx, grant: DownloadGrant): Promise<Source> {
  const { storageKey, sha256, bytes, fileName } = grant;
  if (storageKey === null || sha256 === null) throw linkRefusals.unknown();
  const object = await ctx.media.open(storageKey);
  if (object?.size === bytes) return Object.assign(withoutName(object), { fileName, sha256 });
  await object?.close();
  throw new Error(`the bytes of ${grant.id} are not where they were kept`);
}

const withoutName = (object: Pick<Source, 'size' | 'read' | 'close'>) => ({
  size: object.size,
  read: (start: number, end: number) => object.read(start, end),
  close: () => object.close(),
});

const headersOf = ({ fileName, sha256 }: Source): Record<string, string> => ({
  'Content-Disposition': attachment(fileName),
  'X-Bundle-SHA256': sha256,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
});

async function* readOnce(
  ctx: Ctx,
  token: string,
  grant: DownloadGrant,
  source: Source,
  start: number,
  end: number,
): AsyncIterable<Uint8Array> {
  const isWhole = start === 0 && end === source.size - 1;
  let isBegun = false;
  for await (const chunk of source.read(start, end)) {
    if (!isBegun) await useLink(ctx, token, isWhole, (ctx) => take(ctx, grant.id));
    isBegun = true;
    yield chunk;
  }
}

async function take(ctx: Ctx, id: string): Promise<void> {
  if (await takeDownload(ctx, id)) return;
  const grant = await findGrant(ctx, id);
  throw endedFail((grant && endOf(ctx, grant)) ?? 'used', 'NOT_FOUND');
}
