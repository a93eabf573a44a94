import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import type { Presented } from '#kernel/http/endpoint.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { ruleInForce } from '#kernel/service/limits-in-force.ts';
import { limits } from '#licensing/contract/limits.ts';
import { licensingLimits } from '#licensing/contract/settings.ts';
import { namesOf } from '#licensing/licenses/standing/index.ts';

/** Requests that may go on with one download without being counted. */
const MOST_CONTINUATIONS = 50;
/** Downloads that are remembered; beyond them the oldest is forgotten, and going on with it counts. */
const MOST_DOWNLOADS = 10_000;
/** A part that begins later than the file does. Any other form is answered with the whole, which counts. */
const LATER_PART = /^bytes=0*([1-9]\d*)-(\d*)$/i;

interface Counted {
  /** End of the window that it was counted in, Unix milliseconds. */
  readonly until: number;
  left: number;
}

/** Of this server: another node counts a part that it is asked for. */
const counted = memoryKey('counted-downloads', () => new Map<string, Counted>());

/** How a download stands, for the processes that serve together with this one. */
type Told = Readonly<Counted> & { readonly name: string };

const COUNTED = 'counted download';

/** Learns which downloads other processes of the server have counted. */
export function hearDownloads(ctx: Ctx): void {
  othersOf(ctx).on<Told>(COUNTED, ({ name, until, left }) => {
    const downloads = ctx.memory.of(counted);
    const known = downloads.get(name);
    if (known && known.until >= until) known.left = Math.min(known.left, left);
    else keep(downloads, name, { until, left });
  });
}

/**
 * Whether a request goes on with a download that the bucket has counted: the same address, license key and release
 * (D15). Each such answer takes one of the 50 that are free.
 */
export function goesOn(ctx: Ctx, { header, params, query }: Presented): boolean {
  const [, first, last] = LATER_PART.exec(header('range') ?? '') ?? [];
  if (first === undefined || (last && Number(last) < Number(first))) return false;
  // A release that the path names is the one that is sent, whatever the query says.
  const asked = { ...(query as object), ...(params as object) } as { release_id?: unknown };
  const name = nameOf(ctx, header('x-license-key'), asked.release_id);
  const download = name === null ? undefined : ctx.memory.of(counted).get(name);
  if (name === null || !download || download.left === 0 || download.until <= Date.parse(ctx.now()))
    return false;
  download.left -= 1;
  othersOf(ctx).tell(COUNTED, { name, ...download } satisfies Told);
  return true;
}

/** Notes a download that was counted, unless it is one that goes on. */
export function noteDownload(ctx: Ctx, typedKey: string, releaseId: string): void {
  const name = nameOf(ctx, typedKey, releaseId);
  if (name === null) return;
  const downloads = ctx.memory.of(counted);
  const now = Date.parse(ctx.now());
  const known = downloads.get(name);
  if (known && known.until > now) return;
  const { windowSeconds } = ruleInForce(ctx, licensingLimits, limits.update_download, null);
  const download = { until: now + windowSeconds * 1000, left: MOST_CONTINUATIONS };
  keep(downloads, name, download);
  othersOf(ctx).tell(COUNTED, { name, ...download } satisfies Told);
}

function keep(downloads: Map<string, Counted>, name: string, download: Counted): void {
  downloads.delete(name);
  const oldest = downloads.size >= MOST_DOWNLOADS ? downloads.keys().next().value : undefined;
  if (oldest !== undefined) downloads.delete(oldest);
  downloads.set(name, download);
}

/** The key stays a digest: this memory outlives the request. */
function nameOf(ctx: Ctx, typedKey: string | undefined, releaseId: unknown): string | null {
  const { ip } = ctx.origin;
  if (ip === null || typedKey === undefined || typeof releaseId !== 'string') return null;
  const [named] = namesOf(ctx, typedKey);
  return named && 'digest' in named ? `${limitAddress(ip)} ${named.digest} ${releaseId}` : null;
}
