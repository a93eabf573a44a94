// Fetches the bytes of a bundle, over as many requests as it takes (licensing.md 7.3).
import type { Core } from './core.ts';
import { ClientError } from './errors.ts';
import {
  createBackoff,
  type Failure,
  failureOf,
  failureWithoutAnswer,
  LONGEST_INTERACTIVE_WAIT_MS,
} from './failure.ts';
import { pause } from './timers.ts';
import type { Incoming } from './transport.ts';
import type { UpdateOffer } from './types.ts';

const MOST_RESUMES = 5;
/** A refusal is a short JSON text; of anything longer its status says enough. */
const LONGEST_REFUSAL_BYTES = 65_536;

/** What is fetched, and where it goes. */
export interface Transfer {
  core: Core;
  offer: UpdateOffer;
  /** The installed version. */
  installed: string;
  signal: AbortSignal;
  /** Takes bytes in their order, never more than the offer has; what it throws ends the transfer. */
  take(chunk: Uint8Array): Promise<void>;
}

/** How far a transfer has come. */
interface Progress {
  done: number;
  /** Strong entity tag of the first answer; null without one. */
  etag: string | null;
}

/**
 * Fetches exactly as many bytes as the offer names. Whether they are the right ones is left to the caller.
 *
 * @throws LicenseApiError, ClientError (HASH_MISMATCH for what is certainly another bundle), and what `take` throws
 */
export async function transferBundle(transfer: Transfer): Promise<void> {
  const { settings, events } = transfer.core;
  const { retry } = settings;
  const progress: Progress = { done: 0, etag: null };
  const delayAfter = createBackoff(retry, retry.attempts, LONGEST_INTERACTIVE_WAIT_MS);
  // Attempts that bring nothing are counted as for any other call; one that brings something begins anew.
  let fruitless = 0;
  for (let request = 1; ; request += 1) {
    const before = progress.done;
    const failure = await transferOnce(transfer, progress);
    if (failure === null) return;
    fruitless = progress.done > before ? 0 : fruitless + 1;
    const delayMs = request > MOST_RESUMES ? null : delayAfter(failure, fruitless);
    if (delayMs === null) throw failure.error;
    events.emit('retry', { operation: 'download', attempt: request, delayMs: Math.round(delayMs) });
    await pause(delayMs, false, transfer.signal);
  }
}

/** One request. @returns null when all bytes have come */
async function transferOnce(transfer: Transfer, progress: Progress): Promise<Failure | null> {
  const opened = await attempt(() => open(transfer, progress));
  if ('error' in opened) return opened;
  const incoming = opened.value;
  try {
    if (incoming.status !== 200 && incoming.status !== 206) {
      return failureOf({ ...incoming, bytes: await refusalBytes(incoming) }, transfer.core.settings.now);
    }
    const skipped = beginningOf(incoming, transfer.offer, progress);
    return await pour(transfer, progress, incoming, skipped);
  } finally {
    incoming.close();
  }
}

function open({ core, offer, installed, signal }: Transfer, { done, etag }: Progress): Promise<Incoming> {
  const query = { release_id: offer.releaseId, from_version: installed };
  return core.calls.openBundle(
    query,
    {
      Accept: 'application/octet-stream, application/json',
      ...(done > 0 && { Range: `bytes=${done}-` }),
      ...(done > 0 && etag !== null && { 'If-Range': etag }),
    },
    signal,
  );
}

/** What the network did, apart from what those do whom the bytes are for. */
async function attempt<T>(work: () => Promise<T>): Promise<{ value: T } | Failure> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ClientError) return failureWithoutAnswer(error);
    throw error;
  }
}

/**
 * Judges the headers of an answer.
 *
 * @returns how many bytes of the body are known already
 * @throws ClientError HASH_MISMATCH for another bundle, BAD_RESPONSE for another part of it
 */
function beginningOf({ status, header }: Incoming, offer: UpdateOffer, progress: Progress): number {
  const { done } = progress;
  const size = offer.bundleSize;
  const etag = header('ETag');
  const strong = etag?.startsWith('"') ? etag : null;
  const named = header('X-Bundle-SHA256');
  const changed = done > 0 && progress.etag !== null && strong !== null && strong !== progress.etag;
  if (changed || (named !== null && named.toLowerCase() !== offer.sha256)) throw anotherBundle();
  const whole = status === 200;
  if (!whole && header('Content-Range') !== `bytes ${done}-${size - 1}/${size}`) throw anotherPart();
  if (!whole && done === 0) throw anotherPart();
  const length = header('Content-Length');
  const expected = String(whole ? size : size - done);
  // The length of what was packed for the way says nothing about the bundle.
  const packed = (header('Content-Encoding') ?? 'identity') !== 'identity';
  if (length !== null && !packed && length !== expected) throw anotherBundle();
  progress.etag ??= strong;
  return whole ? done : 0;
}

/** @param skipped bytes at the beginning that have been taken before */
async function pour(
  { offer, take }: Transfer,
  progress: Progress,
  incoming: Incoming,
  skipped: number,
): Promise<Failure | null> {
  let known = skipped;
  for (;;) {
    const got = await attempt(incoming.next);
    // A line that breaks behind the last byte breaks nothing.
    if (progress.done === offer.bundleSize && ('error' in got || got.value === null)) return null;
    if ('error' in got) return got;
    if (got.value === null) return failureWithoutAnswer(brokenOff());
    const fresh = got.value.subarray(Math.min(known, got.value.length));
    known -= got.value.length - fresh.length;
    if (fresh.length > offer.bundleSize - progress.done) throw anotherBundle();
    if (fresh.length === 0) continue;
    await take(fresh);
    progress.done += fresh.length;
  }
}

/** The body of a refusal, empty when it does not come or is longer than any. */
async function refusalBytes(incoming: Incoming) {
  const pieces: number[] = [];
  for (;;) {
    const got = await attempt(incoming.next);
    if ('error' in got) return new Uint8Array();
    if (got.value === null) return Uint8Array.from(pieces);
    if (pieces.length + got.value.length > LONGEST_REFUSAL_BYTES) return new Uint8Array();
    for (const byte of got.value) pieces.push(byte);
  }
}

const anotherBundle = (): ClientError =>
  new ClientError('HASH_MISMATCH', 'what the server sends is not the bundle that was offered');
const anotherPart = (): ClientError =>
  new ClientError('BAD_RESPONSE', 'the server sends another part of the bundle than was asked for');
const brokenOff = (): ClientError => new ClientError('NETWORK', 'the download broke off');
