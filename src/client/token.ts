// Offline license tokens (licensing.md 6.2).
import { base64url, sha256, utf8 } from './bytes.ts';
import { isoOf, TOLERANCE_MS } from './clock.ts';
import type { TrustBase } from './delegation.ts';
import { readRootKeys, webCryptoVerify } from './ed25519.ts';
import type { Json } from './json.ts';
import { faultOfOnlineMessage, readOnlineMessage } from './online-message.ts';
import type { Verify } from './option-types.ts';
import { isInteger, isNull, isObject, isText, type JsonObject } from './shape.ts';
import type { Access } from './types.ts';
import { modeIn, nothingKnown, underMode } from './verdict.ts';
import { versionAllowed } from './version.ts';

/** Claims of a token; times in Unix seconds. */
interface Claims {
  mode: JsonObject;
  machine: string;
  status: string;
  features: Record<string, Json>;
  maxVersion: string | null;
  validUntil: number | null;
  graceUntil: number | null;
  iat: number;
  nbf: number;
  exp: number;
}

/** A token as far as it was judged: `iat` and `exp` are there once it was found to be genuine and of this machine. */
export interface TokenVerdict {
  access: Access;
  /** Unix milliseconds. */
  iat?: number;
  /** Unix milliseconds, exclusive. */
  exp?: number;
}

/** What a token is judged against. */
export interface TokenQuestion {
  machineId: string;
  appVersion?: string | undefined;
  /** Unix milliseconds. */
  now: number;
  /** The highest time ever seen, Unix milliseconds. */
  lastSeen: number;
}

const messages: Record<string, string> = {
  MALFORMED: 'The text is not a license token',
  DELEGATION_INVALID: 'The token is not signed for this product',
  SIGNATURE_INVALID: 'The token has been changed',
  WRONG_MACHINE: 'The token is for another machine',
  CLOCK_ROLLED_BACK: 'The clock of this machine was set back',
  TOKEN_EXPIRED: 'The token has expired',
  EXPIRED: 'License has expired',
  VERSION_NOT_ALLOWED: 'License does not cover this version',
  VALID: 'License is valid',
  GRACE: 'License has expired and is in its grace period',
};

/**
 * Judges a token without the network, in the order of licensing 6.2; the first failure names the reason in `code`. White
 * space in the text is ignored, since tokens travel by mail.
 *
 * @param options `now` and `lastSeen` in Unix milliseconds; `verify` where WebCrypto has no Ed25519
 * @throws TypeError for a root key that is none, NoEd25519Error
 */
export async function verifyOfflineToken(
  token: string,
  options: TokenQuestion & { rootKeys: string[]; product: string; verify?: Verify | undefined },
): Promise<Access> {
  const { rootKeys, product, verify = webCryptoVerify, ...question } = options;
  return (await judgeToken(token, { roots: readRootKeys(rootKeys), product, verify }, question)).access;
}

/** As verifyOfflineToken, with what a client keeps beside. */
export async function judgeToken(
  token: string,
  trust: TrustBase,
  question: TokenQuestion,
): Promise<TokenVerdict> {
  const refused = (code: string): TokenVerdict => ({
    access: { ...nothingKnown(code, messages[code] ?? code, question.now), source: 'offline-token' },
  });
  const message = readOnlineMessage('license', token.replace(/\s+/g, ''));
  const claims = message === null ? null : claimsOf(message.body);
  if (message === null || claims === null) return refused('MALFORMED');
  const fault = await faultOfOnlineMessage(message, trust, question.now);
  if (fault !== null) return refused(fault);
  // A token that was made public must not lend its mode to every machine.
  if (claims.machine !== base64url(await sha256(utf8(question.machineId)))) return refused('WRONG_MACHINE');
  return { access: judgeClaims(claims, question), iat: claims.iat * 1000, exp: claims.exp * 1000 };
}

function claimsOf(body: JsonObject): Claims | null {
  const { v, mid, st, mode, feat = null, mxv = null, vu = null, graceUntil = null, iat, nbf, exp } = body;
  if (v !== 1 || !isText(mid) || !isText(st) || !isText(mode)) return null;
  if (!isInteger(iat) || !isInteger(nbf) || !isInteger(exp)) return null;
  if (!(isInteger(vu) || isNull(vu)) || !(isInteger(graceUntil) || isNull(graceUntil))) return null;
  if (!(isText(mxv) || isNull(mxv)) || !(isObject(feat) || isNull(feat))) return null;
  return {
    mode: body,
    machine: mid,
    status: st,
    features: feat ?? {},
    maxVersion: mxv,
    validUntil: vu,
    graceUntil,
    iat,
    nbf,
    exp,
  };
}

/** Steps 5 to 8: the token is genuine and of this machine, so its mode counts whatever it says about the rest. */
function judgeClaims(claims: Claims, question: TokenQuestion): Access {
  const { appVersion, now, lastSeen } = question;
  const answer = (code: string, more: Partial<Access> = {}): Access =>
    underMode(
      { ...nothingKnown(code, messages[code] ?? code, now), source: 'offline-token', ...more },
      modeIn(claims.mode, 'mode'),
    );
  if (now < Math.max(claims.iat * 1000, lastSeen) - TOLERANCE_MS) return answer('CLOCK_ROLLED_BACK');
  if (now < claims.nbf * 1000 || now >= claims.exp * 1000) return answer('TOKEN_EXPIRED');
  const running = claims.status === 'ACTIVE' && isBefore(now, claims.validUntil, true);
  const grace = !running && isBefore(now, claims.graceUntil, false);
  const allowed = versionAllowed(claims.maxVersion, appVersion);
  const known: Partial<Access> = {
    status: running ? 'ACTIVE' : 'EXPIRED',
    features: claims.features,
    grace,
    graceExpiresAt: grace && claims.graceUntil !== null ? isoOf(claims.graceUntil * 1000) : null,
    versionAllowed: allowed,
  };
  if (!running && !grace) return answer('EXPIRED', known);
  if (allowed === false) return answer('VERSION_NOT_ALLOWED', known);
  return answer(grace ? 'GRACE' : 'VALID', { ...known, valid: true, offlineUntil: isoOf(claims.exp * 1000) });
}

const isBefore = (now: number, seconds: number | null, whenNull: boolean): boolean =>
  seconds === null ? whenNull : now < seconds * 1000;
