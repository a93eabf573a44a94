import { fromBase64url, textOf, utf8 } from './bytes.ts';
import { TOLERANCE_MS } from './clock.ts';
import { isSigned, keyIdOf, type RootKeys } from './ed25519.ts';
import type { Verify } from './option-types.ts';
import { isInteger, isText, type JsonObject, parseObject } from './shape.ts';

const LONGEST_SECONDS = 34_560_000;

/** What a client needs to judge what an online key has signed. */
export interface TrustBase {
  roots: RootKeys;
  /** Slug of the own product. */
  product: string;
  verify: Verify;
}

/** The online key that a root key vouches for (licensing.md 6.1). */
export interface Delegation {
  keyId: string;
  publicKey: Uint8Array;
  /** Unix seconds, exclusive. */
  exp: number;
}

/**
 * Why there is none. UNKNOWN_ROOT: signed by a root key that the application does not embed. NOT_IN_FORCE: good, but at
 * another time than the own clock shows.
 */
export type DelegationFault = 'UNKNOWN_ROOT' | 'NOT_IN_FORCE' | 'INVALID';

/** The UTF-8 JSON object behind a base64url text; null for anything else. */
export function payloadOf(text: string): JsonObject | null {
  const bytes = fromBase64url(text);
  return bytes === null ? null : parseObject(textOf(bytes));
}

/**
 * Judges a delegation: signed by an embedded root key, for the own product and use, and in force. A clock up to
 * 300 seconds behind may read a delegation that was made just now.
 *
 * @param payload `DP`, base64url
 * @param signature `DS`, base64url
 * @param use `license`, `timestamp` or `response`
 * @param now Unix milliseconds
 */
export async function openDelegation(
  { roots, product, verify }: TrustBase,
  { payload, signature }: { payload: string; signature: string },
  use: string,
  now: number,
): Promise<Delegation | DelegationFault> {
  const claims = payloadOf(payload);
  if (claims === null || claims.v !== 1 || !isText(claims.root)) return 'INVALID';
  const root = await roots.find(claims.root);
  if (root === null) return 'UNKNOWN_ROOT';
  const signed = await isSigned(verify, root, utf8(`delegation/${payload}`), fromBase64url(signature));
  if (!signed || claims.prd !== product || !Array.isArray(claims.use) || !claims.use.includes(use)) {
    return 'INVALID';
  }
  return inForce(claims, now);
}

async function inForce(claims: JsonObject, now: number): Promise<Delegation | DelegationFault> {
  const { nbf, exp, kid, pub } = claims;
  if (!isInteger(nbf) || !isInteger(exp) || !isText(kid) || !isText(pub)) return 'INVALID';
  const publicKey = fromBase64url(pub);
  if (exp - nbf > LONGEST_SECONDS || publicKey === null || (await keyIdOf(publicKey)) !== kid)
    return 'INVALID';
  if (now < nbf * 1000 - TOLERANCE_MS || now >= exp * 1000) return 'NOT_IN_FORCE';
  return { keyId: kid, publicKey, exp };
}
