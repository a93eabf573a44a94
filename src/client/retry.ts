// Calls that are answered by one JSON object, with as many attempts as licensing.md 7.4 allows.
import { textOf } from './bytes.ts';
import { ClientError, LicenseApiError } from './errors.ts';
import type { Events } from './events.ts';
import {
  createBackoff,
  type Failure,
  failureOf,
  failureWithoutAnswer,
  LONGEST_INTERACTIVE_WAIT_MS,
} from './failure.ts';
import type { Settings } from './options.ts';
import { type Provable, proofOf } from './proof.ts';
import type { SignatureCheck } from './response-signature.ts';
import { isText, parseObject } from './shape.ts';
import { pause } from './timers.ts';
import type { Exchange, Outgoing, Received } from './transport.ts';

export interface Call extends Outgoing {
  /** Name for the event `retry`. */
  operation: string;
  /** Sent along when the endpoint signs its answers. */
  nonce: string | null;
  /** Nobody waits: the wait for another attempt does not keep the process alive. */
  background: boolean;
  /** Longest wait that a rate limit may ask for, in milliseconds; absent: 30 s, and any in the background, where an hour counts for more. */
  patienceMs?: number | undefined;
  /** Total number of attempts; the options' when absent. */
  attempts?: number | undefined;
  signal: AbortSignal;
  /** Refusals that mean success when an earlier attempt may have got through. */
  doneWhenRepeated?: ((refusal: LicenseApiError) => boolean) | undefined;
}

export interface Reply extends Provable {
  /** Unix milliseconds, proven by the signature; null for an unsigned answer. */
  serverTime: number | null;
  /** The header Date in Unix milliseconds, which nobody vouches for; null where it cannot be read. */
  date: number | null;
}

/** @returns null when `doneWhenRepeated` settled it. Throws LicenseApiError or ClientError */
export type Send = (call: Call) => Promise<Reply | null>;

/** Sends until there is an answer, as far as licensing 7.4 allows. */
export function createSend(
  { retry, now }: Settings,
  exchange: Exchange,
  check: SignatureCheck,
  events: Events,
): Send {
  return async (call) => {
    let perhapsDone = false;
    const delayAfter = createBackoff(retry, call.attempts ?? retry.attempts, patienceOf(call));
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(call, exchange, check, now);
      if ('body' in outcome) return outcome;
      const { error } = outcome;
      if (perhapsDone && error instanceof LicenseApiError && call.doneWhenRepeated?.(error)) return null;
      const delayMs = delayAfter(outcome, attempt);
      if (delayMs === null) throw error;
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
    return failureWithoutAnswer(error);
  }
}

async function judge(
  call: Call,
  received: Received,
  check: SignatureCheck,
  now: () => number,
): Promise<Reply | Failure> {
  const failure = received.status === 200 ? null : failureOf(received, now);
  if (failure !== null && failure.again !== 'no') return failure;
  const serverTime = await provenTime(call, received, check, failure?.error ?? null);
  if (failure !== null) return failure;
  const text = textOf(received.bytes);
  const body = parseObject(text);
  const strange = isText(body?.nonce) && call.nonce !== null && body.nonce !== call.nonce;
  if (body === null || body.success !== true || strange) {
    throw new ClientError('BAD_RESPONSE', strangeAnswer(received));
  }
  const date = Date.parse(received.header('Date') ?? '');
  const proof = serverTime === null ? null : proofOf(received, text ?? '', call.nonce ?? '');
  return { body, serverTime, proof, date: Number.isNaN(date) ? null : date };
}

/** As behind the sign-in page of a network, or with the address of a web site as `baseUrl`. */
function strangeAnswer({ header }: Received): string {
  const isPage = /^text\/html/i.test(header('Content-Type') ?? '');
  return isPage
    ? 'a web page came instead of an answer: a sign-in page of the network, or baseUrl is not a license server'
    : 'the answer is not one of the license server';
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
