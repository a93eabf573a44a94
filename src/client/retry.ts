// Retry and backoff (licensing.md 7.4).
import { randomFraction, textOf } from './bytes.ts';
import { ClientError, LicenseApiError } from './errors.ts';
import type { Events } from './events.ts';
import type { Settings } from './options.ts';
import type { SignatureCheck } from './response-signature.ts';
import { isObject, isText, type JsonObject, parseObject } from './shape.ts';
import { pause } from './timers.ts';
import type { Exchange, Outgoing, Received } from './transport.ts';

/** How long somebody who waits for an answer is made to wait for a rate limit. */
const LONGEST_INTERACTIVE_WAIT_MS = 30_000;

export interface Call extends Outgoing {
  /** Name for the event `retry`. */
  operation: string;
  /** Sent along when the endpoint signs its answers. */
  nonce: string | null;
  /** Nobody waits: the wait for another attempt does not keep the process alive. */
  background: boolean;
  /** Longest wait that a rate limit may ask for, in milliseconds; absent: 30 s, and any in the background. */
  patienceMs?: number | undefined;
  /** Total number of attempts; the options' when absent. */
  attempts?: number | undefined;
  signal: AbortSignal;
  /** Refusals that mean success when an earlier attempt may have got through. */
  doneWhenRepeated?: ((refusal: LicenseApiError) => boolean) | undefined;
}

export interface Reply {
  body: JsonObject;
  /** Unix milliseconds, proven by the signature; null for an unsigned answer. */
  serverTime: number | null;
  /** The header Date in Unix milliseconds, which nobody vouches for; null where it cannot be read. */
  date: number | null;
}

/** @returns null when `doneWhenRepeated` settled it. Throws LicenseApiError or ClientError */
export type Send = (call: Call) => Promise<Reply | null>;

/** Whether such a failure is worth another attempt; `once`: however many attempts are left. */
type Again = 'yes' | 'once' | 'no';

/** What became of an attempt that failed. */
interface Failure {
  error: LicenseApiError | ClientError;
  again: Again;
  /** Given by the server; null = by backoff. */
  waitMs: number | null;
  /** The server may have done what was asked. */
  perhapsDone: boolean;
}

/** Sends until there is an answer, as far as 7.4 allows. */
export function createSend(
  { retry, now }: Settings,
  exchange: Exchange,
  check: SignatureCheck,
  events: Events,
): Send {
  return async (call) => {
    let perhapsDone = false;
    let onceSpent = false;
    const attempts = call.attempts ?? retry.attempts;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(call, exchange, check, now);
      if ('body' in outcome) return outcome;
      const { error, again, waitMs } = outcome;
      if (perhapsDone && error instanceof LicenseApiError && call.doneWhenRepeated?.(error)) return null;
      const delayMs = waitMs ?? randomFraction() * Math.min(retry.maxMs, retry.baseMs * 2 ** (attempt - 1));
      const tooLong = waitMs !== null && waitMs > patienceOf(call);
      if (attempt >= attempts || again === 'no' || (again === 'once' && onceSpent) || tooLong) throw error;
      onceSpent ||= again === 'once';
      perhapsDone ||= outcome.perhapsDone;
      events.emit('retry', { operation: call.operation, attempt, delayMs: Math.round(delayMs) });
      await pause(delayMs, call.background, call.signal);
    }
  };
}

const patienceOf = ({ patienceMs, background }: Call): number =>
  patienceMs ?? (background ? Number.POSITIVE_INFINITY : LONGEST_INTERACTIVE_WAIT_MS);

async function attemptOnce(
  call: Call,
  exchange: Exchange,
  check: SignatureCheck,
  now: () => number,
): Promise<Reply | Failure> {
  try {
    const received = await exchange(call, call.signal);
    return await judge(call, received, check, now);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const again = error.code === 'NETWORK' || error.code === 'TIMEOUT' ? 'yes' : 'no';
    return { error, again, waitMs: null, perhapsDone: true };
  }
}

async function judge(
  call: Call,
  received: Received,
  check: SignatureCheck,
  now: () => number,
): Promise<Reply | Failure> {
  const { status } = received;
  const body = parseObject(textOf(received.bytes));
  const refusal = status === 200 ? null : refusalOf(received, body, now);
  const again = againAfter(status);
  if (refusal !== null && again !== 'no') {
    return {
      error: refusal,
      again,
      waitMs: status === 429 ? waitOf(received, body, now) : null,
      perhapsDone: status !== 429,
    };
  }
  const serverTime = await provenTime(call, received, check, refusal);
  if (refusal !== null) return { error: refusal, again, waitMs: null, perhapsDone: false };
  const strange = isText(body?.nonce) && call.nonce !== null && body.nonce !== call.nonce;
  if (body === null || body.success !== true || strange) {
    throw new ClientError('BAD_RESPONSE', 'the answer is not one of the license server');
  }
  const date = Date.parse(received.header('Date') ?? '');
  return { body, serverTime, date: Number.isNaN(date) ? null : date };
}

/** What is said about the API key or the form of a request is said before any license is known, and never signed. */
function isAboutLicense(status: number, refusal: LicenseApiError | ClientError | null): boolean {
  return status === 200 || status === 404 || (status === 400 && refusal?.code !== 'VALIDATION_ERROR');
}

/** @throws ClientError RESPONSE_SIGNATURE, whose cause is the refusal that cannot be trusted */
async function provenTime(
  { nonce }: Call,
  received: Received,
  check: SignatureCheck,
  refusal: LicenseApiError | ClientError | null,
): Promise<number | null> {
  if (nonce === null || !isAboutLicense(received.status, refusal)) return null;
  try {
    return await check({ ...received, nonce });
  } catch (error) {
    if (refusal === null || !(error instanceof ClientError)) throw error;
    throw new ClientError(error.code, error.message, refusal);
  }
}

function againAfter(status: number): Again {
  if (status === 500) return 'once';
  return [429, 502, 503, 504].includes(status) ? 'yes' : 'no';
}

function refusalOf(
  received: Received,
  body: JsonObject | null,
  now: () => number,
): LicenseApiError | ClientError {
  const error = body?.error;
  if (body === null || !isObject(error) || !isText(error.code)) {
    return new ClientError('BAD_RESPONSE', `the server answered ${received.status} without an error code`);
  }
  const wait = received.status === 429 ? waitOf(received, body, now) : null;
  return new LicenseApiError(error.code, isText(error.message) ? error.message : error.code, {
    httpStatus: received.status,
    details: isObject(error.details) ? error.details : {},
    requestId: isText(body.requestId) ? body.requestId : null,
    retryAfterSeconds: wait === null ? null : Math.ceil(wait / 1000),
    body,
  });
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
