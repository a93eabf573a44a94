import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { csrfSync } from 'csrf-sync';
import type { Keyring } from '../crypto.ts';
import { AppError } from '../errors.ts';

const TOKEN_BYTES = 32;
/** Mask and masked token as base64url. */
const FORM = /^[\w-]{86}$/;

/** A request as csrf-sync is shown it: the id of its session and what was presented. */
interface Presented {
  readonly sessionId: string;
  readonly token: string | undefined;
}

/** Tokens for the forms of a session, which follow from its id: nothing is stored, and they end with it (M16). */
export interface CsrfTokens {
  /** A token for one page, masked anew: compressed pages of several visits do not give it away. */
  tokenOf(sessionId: string): string;
  /** Whether a token belongs to a session; it takes as long for a wrong one. */
  accepts(sessionId: string, token: string | undefined): boolean;
}

/** @param keyring whose sub-key for these tokens is used */
export function createCsrfTokens(keyring: Keyring): CsrfTokens {
  const derived = (sessionId: string): Buffer =>
    Buffer.from(keyring.digest('csrf', `csrf:${sessionId}`), 'base64url');
  const own = (sessionId: string): string => derived(sessionId).toString('base64url');
  // csrf-sync stores a token in the session and compares with `===` unless it is told otherwise.
  const { isRequestValid } = csrfSync({
    getTokenFromState: (req) => own(shown(req).sessionId),
    storeTokenInState: () => undefined,
    getTokenFromRequest: (req) => {
      const { sessionId, token } = shown(req);
      const given = token === undefined ? null : unmask(token);
      return given !== null && timingSafeEqual(given, derived(sessionId)) ? own(sessionId) : undefined;
    },
  });
  return {
    tokenOf: (sessionId) => mask(derived(sessionId)),
    accepts: (sessionId, token) =>
      isRequestValid({ sessionId, token } satisfies Presented as unknown as Parameters<
        typeof isRequestValid
      >[0]),
  };
}

const shown = (req: unknown): Presented => req as Presented;

function mask(token: Buffer): string {
  const pad = randomBytes(TOKEN_BYTES);
  return Buffer.concat([pad, xor(pad, token)]).toString('base64url');
}

function unmask(text: string): Buffer | null {
  if (!FORM.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return xor(bytes.subarray(0, TOKEN_BYTES), bytes.subarray(TOKEN_BYTES));
}

const xor = (one: Uint8Array, other: Uint8Array): Buffer =>
  Buffer.from(one.map((byte, place) => byte ^ (other[place] as number)));

/**
 * Whether a browser says that the page of another site sent a request. What it does not say proves nothing: the token
 * decides then.
 *
 * @param baseUrl address of this installation; another one counts where the browser asked for that
 */
export function isFromElsewhere({ headers }: IncomingMessage, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  // So sends a page that tells nobody its address; then only the browser's own word counts.
  if (origin === 'null') return site !== 'same-origin';
  return !isOwnOrigin(origin, headers.host, baseUrl);
}

function isOwnOrigin(origin: string, host: string | undefined, baseUrl: string): boolean {
  if (!URL.canParse(origin) || !URL.canParse(baseUrl)) return false;
  const own = new URL(baseUrl);
  const asked = new URL(origin);
  if (asked.origin === own.origin) return true;
  const isAsSafe = own.protocol !== 'https:' || asked.protocol === 'https:';
  return isAsSafe && asked.host === host?.toLowerCase();
}

/** What a form without the token of its visitor is answered (M16). @param cure what the visitor can do */
export const csrfRefused = (cure: string): AppError =>
  new AppError('AUTH_FORBIDDEN', 403, `Nothing was changed. ${cure}`, { details: { reason: 'CSRF' } });
