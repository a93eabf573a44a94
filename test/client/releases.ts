// A vendor's releases, and a server that offers them: the other side of checkForUpdate and downloadUpdate.
import { createHash } from 'node:crypto';
import type { SigningKey } from '#kernel/ed25519.ts';
import type { ClientOptions } from '../../src/client/option-types.ts';
import type { BundleSink, UpdateOffer } from '../../src/client/types.ts';
import { type Answer, type Asked, ok, type Server, scripted } from './scripted.ts';
import { delegation, digest, encode, online, product, root, startSeconds } from './signer.ts';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const DAY = 86_400;

/** Claims of a statement about a release for this machine. */
export const statementClaims = (bytes: Uint8Array, more: object = {}) => ({
  v: 1,
  product,
  channel: 'stable',
  platform: 'linux',
  arch: 'x64',
  version: '2.1.0',
  sha256: sha256(bytes).toString('hex'),
  size: bytes.length,
  sequence: 100,
  isCritical: false,
  requiresMigration: false,
  minFromVersion: null,
  kid: root.keyId,
  issuedAt: new Date(startSeconds * 1000).toISOString(),
  expiresAt: new Date((startSeconds + 400 * DAY) * 1000).toISOString(),
  ...more,
});

/** The fields `statement` and `statement_signature` of an answer. */
export function statement(claims: object, key: SigningKey = root) {
  const text = `release/${encode(claims)}`;
  return { statement: text, statement_signature: key.sign(Buffer.from(text)).toString('base64') };
}

/** A release as a vendor made it. */
export interface Shipped {
  bytes: Buffer;
  claims: ReturnType<typeof statementClaims>;
  /** The answer of updates/check. */
  answer: Record<string, unknown>;
}

/** The bytes of the bundle of every release here that has no other ones. */
export const bundle = Buffer.from(Array.from({ length: 1000 }, (_, place) => place % 251));

/**
 * Signs a release.
 *
 * @param more claims of its statement
 * @param key signs bundle and statement
 */
export function ship(
  more: Partial<ReturnType<typeof statementClaims>> = {},
  { bytes = bundle, key = root }: { bytes?: Buffer; key?: SigningKey } = {},
): Shipped {
  const claims = statementClaims(bytes, { kid: key.keyId, ...more });
  const answer = {
    update_available: true,
    version: claims.version,
    changelog: 'Faster.',
    bundle_size: bytes.length,
    sha256: sha256(bytes).toString('hex'),
    signature: key.sign(sha256(bytes)).toString('base64'),
    is_critical: false,
    requires_migration: false,
    published_at: '2026-03-01T00:00:00.000Z',
    release_id: `rel_${claims.version}`,
    sequence: claims.sequence,
    ...statement(claims, key),
  };
  return { bytes, claims, answer };
}

/** Claims of a timestamp token that fits its question and the release that is offered. */
export function timestampClaims(asked: Asked, shipped: Shipped | null) {
  const query = new URL(asked.url).searchParams;
  return {
    v: 1,
    kid: online.keyId,
    prd: product,
    ch: query.get('channel'),
    plat: query.get('platform') ?? '',
    arch: query.get('arch') ?? '',
    cur: query.get('current_version'),
    ask: digest(
      [asked.headers.get('X-License-Key'), query.get('key_ids'), query.get('machine_id')].join('\n'),
    ),
    offer: shipped?.claims.version ?? null,
    seq: shipped?.claims.sequence ?? null,
    sts: shipped === null ? null : digest(String(shipped.answer.statement)),
    nonce: query.get('nonce'),
    iat: startSeconds,
    exp: startSeconds + DAY,
  };
}

/** `timestamp/<P>.<S>.<DP>.<DS>` */
export function timestamp(
  claims: object,
  { key = online, delegated = delegation(), kind = 'timestamp' } = {},
): string {
  const payload = encode(claims);
  const signature = key.sign(Buffer.from(`${kind}/${payload}`)).toString('base64url');
  return `${kind}/${payload}.${signature}.${delegated}`;
}

/** Answers a download as the server does, whole or from the place that is asked for. */
export function sendBundle(asked: Asked, bytes: Buffer, headers: Record<string, string> = {}): Answer {
  const from = Number(/^bytes=(\d+)-$/.exec(asked.headers.get('Range') ?? '')?.[1] ?? 0);
  const common = {
    'Content-Length': String(bytes.length - from),
    'X-Bundle-SHA256': sha256(bytes).toString('hex'),
    ETag: `"${sha256(bytes).toString('hex')}"`,
    ...(from > 0 && { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    ...headers,
  };
  return { status: from > 0 ? 206 : 200, body: new Uint8Array(bytes.subarray(from)), headers: common };
}

/** A body that ends, breaks or stays silent behind its bytes. */
export function bodyOf(
  bytes: Uint8Array,
  end: 'ends' | 'breaks' | 'stays silent',
  pieceLength = 100,
): ReadableStream<Uint8Array> {
  let place = 0;
  return new ReadableStream({
    pull(controller) {
      if (place < bytes.length) {
        controller.enqueue(new Uint8Array(bytes.subarray(place, place + pieceLength)));
        place += pieceLength;
        return undefined;
      }
      if (end === 'ends') controller.close();
      if (end === 'breaks') controller.error(new TypeError('terminated'));
      return end === 'stays silent' ? new Promise(() => undefined) : undefined;
    },
  });
}

/** A server with one release; `change` makes it another answer of updates/check. */
export function offering(shipped: Shipped, change: object = {}, download: Server = () => ok()): Server {
  return (asked) => (asked.operation === 'check' ? ok({ ...shipped.answer, ...change }) : download(asked));
}

/** The machine of these tests: Linux, x64, version 2.0.0. */
export const updates = (server: Server, more: Parameters<typeof scripted>[1] & Partial<ClientOptions> = {}) =>
  scripted(server, {
    appVersion: '2.0.0',
    ...more,
    updates: { platform: 'linux', arch: 'x64', ...more.updates },
  });

/** A sink that remembers what was done with it. */
export interface Collector extends BundleSink {
  /** `write`, `commit`, `abort`, in their order; writes that follow each other are one. */
  done: string[];
  bytes(): Buffer;
}

/** @param more replaces operations, to fail in them */
export function collector(more: Partial<BundleSink> = {}): Collector {
  const done: string[] = [];
  const chunks: Uint8Array[] = [];
  const note = (what: string): void => {
    if (what !== 'write' || done.at(-1) !== 'write') done.push(what);
  };
  const noting = (what: 'commit' | 'abort') => async (): Promise<void> => {
    note(what);
    await more[what]?.();
  };
  return {
    done,
    bytes: () => Buffer.concat(chunks),
    async write(chunk) {
      note('write');
      chunks.push(chunk.slice());
      await more.write?.(chunk);
    },
    commit: noting('commit'),
    abort: noting('abort'),
  };
}

/** The offer that a check must bring. */
export async function offerOf(machine: ReturnType<typeof updates>): Promise<UpdateOffer> {
  const offer = await machine.client.checkForUpdate();
  if (offer === null) throw new Error('there is no update');
  return offer;
}

/** A machine that has an offer of `ship()`, and downloads it from `download`. */
export async function beginDownload(download: Server, more: Parameters<typeof updates>[1] = {}) {
  const machine = updates(offering(ship(), {}, download), more);
  const offer = await offerOf(machine);
  return { ...machine, offer, sink: collector() };
}
