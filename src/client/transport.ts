import { type Bytes, utf8 } from './bytes.ts';
import { ClientError, errorOf } from './errors.ts';
import type { Settings } from './options.ts';
import type { JsonObject } from './shape.ts';
import { aborted, follow, startTimer, unlessAborted } from './timers.ts';

export interface Outgoing {
  method: 'GET' | 'POST';
  /** From `/api/v1` on, with its query. */
  path: string;
  body?: JsonObject | undefined;
  headers?: Record<string, string> | undefined;
}

/** An answer as it came over the wire. */
export interface Received {
  status: number;
  header(name: string): string | null;
  bytes: Bytes;
}

/** One attempt. Throws ClientError NETWORK, TIMEOUT or ABORTED. */
export type Exchange = (outgoing: Outgoing, signal: AbortSignal) => Promise<Received>;

/** Sends requests with the timeout of the options; a redirect is a fault, since it would carry the keys elsewhere. */
export function createExchange(settings: Settings): Exchange {
  return async (outgoing, signal) => {
    const overtime = new AbortController();
    const timer = startTimer(settings.timeoutMs, false, () => overtime.abort());
    const either = follow([signal, overtime.signal]);
    try {
      // A replaced fetch may not listen to the signal.
      return await unlessAborted(fetchWhole(settings, outgoing, either.signal), either.signal);
    } catch (error) {
      if (signal.aborted) throw aborted();
      if (overtime.signal.aborted) {
        throw new ClientError('TIMEOUT', `no answer within ${settings.timeoutMs} ms`);
      }
      throw new ClientError('NETWORK', 'the license server cannot be reached', error);
    } finally {
      timer.stop();
      either.release();
    }
  };
}

async function fetchWhole(settings: Settings, outgoing: Outgoing, signal: AbortSignal): Promise<Received> {
  const { method, path, body, headers } = outgoing;
  const apiKey = await settings.apiKey();
  const sent = settings.fetch(settings.baseUrl + path, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...headers,
    },
    ...(body !== undefined && { body: utf8(JSON.stringify(body)) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal,
  });
  // The path of check holds the license key.
  const secrets = [apiKey ?? '', method === 'GET' ? path : ''].filter((secret) => secret !== '');
  const response = await sent.catch((error: unknown) => Promise.reject(withoutSecrets(error, secrets)));
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, header: (name) => response.headers.get(name), bytes };
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
