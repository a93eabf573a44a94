import { type Bytes, utf8 } from './bytes.ts';
import { ClientError, errorOf } from './errors.ts';
import type { Settings } from './options.ts';
import type { JsonObject } from './shape.ts';
import { aborted, follow, startTimer, unlessAborted } from './timers.ts';

/** Twice what a server takes for a license and its policy: who sends more must not make the application stand still. */
const LARGEST_JSON_BYTES = 2 * 1024 * 1024;

export interface Outgoing {
  method: 'GET' | 'POST';
  /** From `/api/v1` on, with its query. */
  path: string;
  body?: JsonObject | undefined;
  headers?: Record<string, string> | undefined;
  /** For the update endpoints, which are opened by this key alone; the API key stays at home. */
  licenseKey?: string | undefined;
}

/** An answer as it came over the wire. */
export interface Received {
  status: number;
  header(name: string): string | null;
  bytes: Bytes;
}

/** One attempt. Throws ClientError NETWORK, TIMEOUT, BAD_RESPONSE or ABORTED. */
export type Exchange = (outgoing: Outgoing, signal: AbortSignal) => Promise<Received>;

/** An answer whose body is still to come. */
export interface Incoming {
  status: number;
  header(name: string): string | null;
  /** The next piece, null at the end. Throws ClientError NETWORK, TIMEOUT or ABORTED. */
  next(): Promise<Uint8Array | null>;
  /** Gives up what is still to come; to be called in the end in any case. */
  close(): void;
}

/** Opens an answer that is read piece by piece: the timeout counts for its beginning and for each piece. */
export type Open = (outgoing: Outgoing, signal: AbortSignal) => Promise<Incoming>;

/** Sends requests with the timeout of the options; a redirect is a fault, since it would carry the keys elsewhere. */
export const createExchange =
  (settings: Settings): Exchange =>
  (outgoing, signal) =>
    timely(settings.timeoutMs, signal, async (both) => {
      const response = await request(settings, outgoing, both);
      return {
        status: response.status,
        header: (name) => response.headers.get(name),
        bytes: await bytesOf(response),
      };
    });

/** As createExchange, for bodies of any length. */
export const createOpen =
  (settings: Settings): Open =>
  async (outgoing, signal) => {
    const end = new AbortController();
    const all = follow([signal, end.signal]);
    const inTime = <T>(work: () => Promise<T>): Promise<T> => timely(settings.timeoutMs, signal, work);
    const giveUp = (): void => {
      end.abort();
      all.release();
    };
    try {
      const response = await inTime(() => request(settings, outgoing, all.signal));
      const { next, cancel } = piecesOf(response);
      return {
        status: response.status,
        header: (name) => response.headers.get(name),
        next: () => inTime(next),
        close() {
          cancel();
          giveUp();
        },
      };
    } catch (error) {
      giveUp();
      throw error;
    }
  };

/** Runs one step of a request within the timeout; its signal says when the step is given up. */
async function timely<T>(
  timeoutMs: number,
  signal: AbortSignal,
  step: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw aborted();
  const overtime = new AbortController();
  const timer = startTimer(timeoutMs, false, () => overtime.abort());
  const either = follow([signal, overtime.signal]);
  try {
    // A replaced fetch may not listen to the signal.
    return await unlessAborted(step(either.signal), either.signal);
  } catch (error) {
    if (signal.aborted) throw aborted();
    if (overtime.signal.aborted) throw new ClientError('TIMEOUT', `no answer within ${timeoutMs} ms`);
    if (error instanceof ClientError) throw error;
    throw new ClientError('NETWORK', `the license server cannot be reached${reasonIn(error)}`, error);
  } finally {
    timer.stop();
    either.release();
  }
}

/** Why, as far as the platform says it: ` (ENOTFOUND)`. Browsers say nothing. */
function reasonIn(error: unknown): string {
  // A stack names functions of the platform.
  const texts = textsIn(error, 3).filter((text) => !text.includes('\n'));
  if (texts.some((text) => /redirect/i.test(text))) return ' (its address leads to another one)';
  const code = texts.find((text) => /^(E[A-Z]{3,}|[A-Z]+(_[A-Z]+)+)$/.test(text));
  return code === undefined ? '' : ` (${code})`;
}

async function request(settings: Settings, outgoing: Outgoing, signal: AbortSignal): Promise<Response> {
  const { method, path, body, headers, licenseKey } = outgoing;
  const apiKey = licenseKey === undefined ? await settings.apiKey() : undefined;
  const sent = settings.fetch(settings.baseUrl + path, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...(licenseKey !== undefined && { 'X-License-Key': licenseKey }),
      ...headers,
    },
    ...(body !== undefined && { body: utf8(JSON.stringify(body)) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal,
  });
  // The path of check holds the license key.
  const secrets = [apiKey ?? '', licenseKey ?? '', method === 'GET' ? path : ''].filter(
    (text) => text !== '',
  );
  return sent.catch((error: unknown) => Promise.reject(withoutSecrets(error, secrets)));
}

/** Reads a whole answer of JSON. @throws ClientError BAD_RESPONSE for one that is too long */
export const bytesOf = (response: Response): Promise<Bytes> =>
  wholeOf(piecesOf(response), LARGEST_JSON_BYTES);

/**
 * Reads a whole body.
 *
 * @throws ClientError BAD_RESPONSE for one that is longer than `most` bytes
 */
async function wholeOf({ next, cancel }: Pieces, most: number): Promise<Bytes> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let piece = await next(); piece !== null; piece = await next()) {
    length += piece.length;
    if (length > most) {
      cancel();
      throw new ClientError('BAD_RESPONSE', `the answer is longer than ${most} bytes`);
    }
    pieces.push(piece);
  }
  const whole = new Uint8Array(length);
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

/** A body, piece by piece. */
interface Pieces {
  /** null at the end. */
  next(): Promise<Uint8Array | null>;
  /** Wants no more. */
  cancel(): void;
}

/** All of it is one piece where a replaced fetch does not stream. */
function piecesOf(response: Response): Pieces {
  const reader = response.body?.getReader?.();
  if (reader !== undefined) {
    return {
      async next() {
        const { done, value } = await reader.read();
        return done ? null : value;
      },
      // One that broke already has nothing left to be cancelled.
      cancel: () => void reader.cancel().catch(() => undefined),
    };
  }
  let read = false;
  return {
    async next() {
      if (read) return null;
      read = true;
      return new Uint8Array(await response.arrayBuffer());
    },
    cancel: () => undefined,
  };
}

/** Some platforms name the address or a header in their errors, which applications log. */
function withoutSecrets(thrown: unknown, secrets: readonly string[]): unknown {
  const texts = textsIn(thrown, 3);
  if (!secrets.some((secret) => texts.some((text) => text.includes(secret)))) return thrown;
  const { message } = errorOf(thrown);
  return new Error(secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message));
}

/** Every text of an error and of what lies behind it, hidden properties included. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.getOwnPropertyNames(value).flatMap((name) =>
    textsIn((value as Record<string, unknown>)[name], depth - 1),
  );
}
