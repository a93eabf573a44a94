// What became of an attempt that failed, and whether and when another one follows (licensing.md 7.4).
import { randomFraction, textOf } from './bytes.ts';
import { isoOf } from './clock.ts';
import { ClientError, LicenseApiError } from './errors.ts';
import type { Settings } from './options.ts';
import { isObject, isText, type JsonObject, parseObject } from './shape.ts';
import type { Received } from './transport.ts';

/** How long somebody who waits for an answer is made to wait for a rate limit. */
export const LONGEST_INTERACTIVE_WAIT_MS = 30_000;

/** A wait that a proxy makes up, or somebody forges, keeps the client from asking again for no longer. */
export const LONGEST_WAIT_MS = 3_600_000;

export interface Failure {
  error: LicenseApiError | ClientError;
  /** Whether it is worth another attempt; `once`: however many attempts are left. */
  again: 'yes' | 'once' | 'no';
  /** Given by the server; null = by backoff. */
  waitMs: number | null;
  /** The server may have done what was asked. */
  perhapsDone: boolean;
}

/** An attempt that brought no answer. */
export function failureWithoutAnswer(error: ClientError): Failure {
  const again = error.code === 'NETWORK' || error.code === 'TIMEOUT' ? 'yes' : 'no';
  return { error, again, waitMs: null, perhapsDone: true };
}

/** An answer that is no success. @param now Unix milliseconds */
export function failureOf(received: Received, now: () => number): Failure {
  const { status } = received;
  const body = parseObject(textOf(received.bytes));
  const waitMs = status === 429 ? waitOf(received, body, now) : null;
  const again = againAfter(status);
  return {
    error: refusalOf(received, body, waitMs === null ? null : { waitMs, until: now() + waitMs }),
    again,
    waitMs,
    perhapsDone: again !== 'no' && status !== 429,
  };
}

/**
 * Decides about the attempts of one call.
 *
 * @param attempts in all
 * @param patienceMs longest wait that a rate limit may ask for
 * @returns the delay before another attempt in milliseconds, null to give up; to be asked once for each failure, with
 *   the number of attempts so far
 */
export function createBackoff(
  { baseMs, maxMs }: Settings['retry'],
  attempts: number,
  patienceMs: number,
): (failure: Failure, attempt: number) => number | null {
  let onceSpent = false;
  return ({ again, waitMs }, attempt) => {
    const tooLong = waitMs !== null && waitMs > patienceMs;
    if (attempt >= attempts || again === 'no' || (again === 'once' && onceSpent) || tooLong) return null;
    onceSpent ||= again === 'once';
    if (waitMs !== null) return Math.min(waitMs, LONGEST_WAIT_MS);
    return randomFraction() * Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  };
}

function againAfter(status: number): Failure['again'] {
  if (status === 500) return 'once';
  return [429, 502, 503, 504].includes(status) ? 'yes' : 'no';
}

function refusalOf(
  received: Received,
  body: JsonObject | null,
  wait: { waitMs: number; until: number } | null,
): LicenseApiError | ClientError {
  const error = body?.error;
  const facts = {
    httpStatus: received.status,
    requestId: isText(body?.requestId) ? body.requestId : null,
    retryAfterSeconds: wait === null ? null : Math.ceil(wait.waitMs / 1000),
    retryAt: wait === null ? null : isoOf(wait.until),
    body,
  };
  if (isObject(error) && isText(error.code)) {
    const details = isObject(error.details) ? error.details : {};
    return new LicenseApiError(error.code, isText(error.message) ? error.message : error.code, {
      ...facts,
      details,
    });
  }
  // Of a proxy in between, which counts requests too and knows no codes.
  if (received.status === 429)
    return new LicenseApiError('RATE_LIMITED', 'Too many requests', { ...facts, details: {} });
  const { status } = received;
  const message =
    status >= 500
      ? `the license server is out of order at the moment (${status})`
      : `something answered ${status} that is not the license server`;
  return new ClientError('BAD_RESPONSE', message);
}

/** Retry-After in seconds or as a date, else RateLimit-Reset, else what the body says: a page may not see headers. */
function waitOf({ header }: Received, body: JsonObject | null, now: () => number): number | null {
  const after = header('Retry-After') ?? header('RateLimit-Reset');
  if (after !== null && /^\d{1,9}$/.test(after.trim())) return Number(after) * 1000;
  const date = after === null ? Number.NaN : Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now());
  const details = isObject(body?.error) && isObject(body.error.details) ? body.error.details : {};
  return typeof details.resetSeconds === 'number' ? Math.max(0, details.resetSeconds) * 1000 : null;
}
