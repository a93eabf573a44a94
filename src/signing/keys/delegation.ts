import * as z from 'zod/mini';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import {
  decodeBase64url,
  keyIdOf,
  PUBLIC_KEY_BYTES,
  requirePublicKey,
  SIGNATURE_BYTES,
  type SigningKey,
  verify,
} from '#kernel/ed25519.ts';
import { keyIdClaim, publicKeyClaim } from './claim-fields.ts';

/** What an online key may sign: offline license tokens, timestamp tokens, API responses (licensing 6.1). */
export const DELEGATION_USES = ['license', 'timestamp', 'response'] as const;
export type DelegationUse = (typeof DELEGATION_USES)[number];

/** Longest life of a delegation. */
export const MAX_DELEGATION_DAYS = 400;

const KIND = 'delegation/';
/** The clock of the signing machine may run ahead of the server's by so much. */
const SKEW_SECONDS = 300;
const FORM = /^delegation\/([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

/** Payload of a delegation (licensing 6.1). Times are Unix seconds; `exp` is exclusive. */
const Delegation = z.object({
  v: z.literal(1),
  prd: z.string(),
  root: keyIdClaim(),
  kid: keyIdClaim(),
  pub: publicKeyClaim(),
  use: z.array(z.enum(DELEGATION_USES)).check(z.minLength(1), z.maxLength(DELEGATION_USES.length)),
  nbf: z.int().check(z.minimum(0)),
  exp: z.int().check(z.minimum(0)),
});
export type Delegation = z.infer<typeof Delegation>;

/**
 * Signs the delegation of an online key with a root key (licensing 6.1). It counts from five minutes before `now`.
 *
 * @param wanted product slug, the online key's 32 raw bytes, what it may sign, and its life: 1 to 400 days
 * @param now ISO 8601 UTC
 * @returns `delegation/<DP>.<DS>`
 * @throws Ed25519Error for a public key that requirePublicKey refuses
 */
export function signDelegation(
  wanted: { product: string; publicKey: Buffer; uses: readonly DelegationUse[]; days: number },
  root: SigningKey,
  now: string,
): string {
  const publicKey = requirePublicKey(wanted.publicKey);
  const nbf = unixSeconds(addSeconds(now, -SKEW_SECONDS));
  const payload: Delegation = {
    v: 1,
    prd: wanted.product,
    root: root.keyId,
    kid: keyIdOf(publicKey),
    pub: publicKey.toString('base64url'),
    use: DELEGATION_USES.filter((use) => wanted.uses.includes(use)),
    nbf,
    exp: nbf + wanted.days * SECONDS_PER_DAY,
  };
  const message = `${KIND}${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${message}.${root.sign(Buffer.from(message, 'ascii')).toString('base64url')}`;
}

/**
 * Reads the claims of a delegation without believing them: only openDelegation checks the signature.
 *
 * @returns null when the form is bad
 */
export function readDelegation(text: string): Delegation | null {
  const payload = FORM.exec(text)?.[1];
  if (payload === undefined) return null;
  try {
    return Delegation.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}

/**
 * Reads a delegation after checking its signature over the received text (licensing 6.1).
 *
 * @param rootPublicKey 32 raw bytes
 * @returns null when the form or the signature is bad, or when its key id is not that of its key
 */
export function openDelegation(text: string, rootPublicKey: Buffer): Delegation | null {
  const [, payload = '', signature = ''] = FORM.exec(text) ?? [];
  try {
    const message = Buffer.from(`${KIND}${payload}`, 'ascii');
    if (!verify(rootPublicKey, message, decodeBase64url(signature, SIGNATURE_BYTES))) return null;
    const delegation = readDelegation(text);
    const publicKey = requirePublicKey(decodeBase64url(delegation?.pub ?? '', PUBLIC_KEY_BYTES));
    return delegation?.kid === keyIdOf(publicKey) ? delegation : null;
  } catch {
    return null;
  }
}

/** The part of a delegation that messages carry: `<DP>.<DS>`. */
export const compactDelegation = (text: string): string => text.slice(KIND.length);

/** Whole seconds since 1970 of an ISO time, rounded down: what the claims of signed messages hold. */
export const unixSeconds = (iso: string): number => Math.floor(Date.parse(iso) / 1000);
