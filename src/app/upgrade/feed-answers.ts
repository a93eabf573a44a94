import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { compareVersions } from '#licensing/releases/releases/index.ts';
import { bytesOf } from '../../client/transport.ts';

/** A release in a file that `appctl release feed --format json` wrote; nothing of it is believed before it is verified. */
export interface FeedItem {
  readonly id: string;
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** Of the bundle; relative to the feed. */
  readonly url: string;
  readonly size: number;
  readonly sha256: string;
  readonly signature: string;
  readonly statement: string | null;
  readonly statementSignature: string | null;
  readonly sequence: number | null;
  readonly isCritical: boolean;
  readonly requiresMigration: boolean;
  readonly changelog: string;
  readonly publishedAt: string;
}

/** A bundle on this machine. */
export type LocalItem = Omit<FeedItem, 'url'> & { readonly path: string };

type Fetch = typeof globalThis.fetch;
/** The machine that asks. */
export interface Asker {
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
}

/** How a license server would answer, so that one client judges releases from every source. */
function updateAnswer(item: Omit<FeedItem, 'url'> | null): Response {
  if (item === null) return Response.json({ success: true, update_available: false });
  return Response.json({
    success: true,
    update_available: true,
    release_id: item.id,
    version: item.version,
    bundle_size: item.size,
    sha256: item.sha256,
    signature: item.signature,
    changelog: item.changelog,
    is_critical: item.isCritical,
    requires_migration: item.requiresMigration,
    published_at: item.publishedAt,
    ...(item.sequence !== null && { sequence: item.sequence }),
    ...(item.statement !== null && {
      statement: item.statement,
      statement_signature: item.statementSignature ?? '',
    }),
  });
}

const refusal = (status: number, message: string): Response =>
  Response.json({ success: false, error: { code: 'NOT_FOUND', message } }, { status });

/**
 * Answers the questions of a client from the folder of a web server that `appctl release feed` wrote.
 *
 * @param base address of the folder
 * @param channel names the file
 */
export function folderFetch(base: URL, channel: string, asker: Asker): Fetch {
  const folder = new URL(base.href.endsWith('/') ? base.href : `${base.href}/`);
  const feed = new URL(`${channel}.json`, folder);
  let items: readonly FeedItem[] = [];
  return async (input, init) => {
    const asked = new URL(String(input instanceof Request ? input.url : input));
    const { signal = null, headers } = init ?? {};
    if (asked.pathname.endsWith('/updates/check')) {
      const answer = await fetch(feed, { signal, redirect: 'error' });
      if (!answer.ok)
        return refusal(answer.status, `${maskUrlPassword(feed.href)} answered ${answer.status}`);
      items = itemsOf(JSON.parse(new TextDecoder().decode(await bytesOf(answer))));
      return updateAnswer(newest(items, asker));
    }
    const item = items.find(({ id }) => id === asked.searchParams.get('release_id'));
    if (item === undefined) return refusal(404, 'the release was not found in the feed');
    const kept = new Headers();
    for (const name of ['range', 'if-range']) {
      const value = new Headers(headers).get(name);
      if (value !== null) kept.set(name, value);
    }
    return fetch(new URL(item.url, feed), { signal, headers: kept });
  };
}

/** @throws TypeError for a file of another form */
function itemsOf(body: unknown): FeedItem[] {
  const { releases } = body as { releases?: unknown };
  if (!Array.isArray(releases)) throw new TypeError('the feed has no list of releases');
  return releases as FeedItem[];
}

/** Of what is for this machine and newer, the newest. */
function newest(items: readonly FeedItem[], { version, platform, arch }: Asker): FeedItem | null {
  const fitting = items.filter(
    (item) =>
      ['', platform].includes(item.platform) &&
      ['', 'universal', arch].includes(item.arch) &&
      compareVersions(item.version, version) > 0,
  );
  return fitting.sort((one, other) => compareVersions(other.version, one.version))[0] ?? null;
}

/** Answers the questions of a client from a bundle and its signature file: also about an older one, which is then refused. */
export function fileFetch(item: LocalItem): Fetch {
  return async (input) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    if (pathname.endsWith('/updates/check')) return updateAnswer(item);
    const body = Readable.toWeb(createReadStream(item.path)) as ReadableStream<Uint8Array>;
    return new Response(body, { headers: { 'Content-Length': String(item.size) } });
  };
}
