import { type Delegation, openDelegation, readDelegation, unixSeconds } from '#signing/keys/delegation.ts';
import type { OnlineKeyRow, RootKey } from './repository.ts';

/** Longest life of a delegation in seconds, 400 days (licensing 6.1). */
const MAX_SECONDS = 34_560_000;

/** Why a delegation is not believed. */
export interface DelegationFault {
  readonly reason:
    | 'MALFORMED'
    | 'ROOT_UNKNOWN'
    | 'SIGNATURE_INVALID'
    | 'WRONG_PRODUCT'
    | 'WRONG_KEY'
    | 'LIFE_TOO_LONG'
    | 'NOT_YET_VALID'
    | 'EXPIRED';
  readonly message: string;
}

const fault = (reason: DelegationFault['reason'], message: string): { fault: DelegationFault } => ({
  fault: { reason, message },
});

/**
 * Judges the delegation of an online key (licensing 6.1): signed by a root key of the product that is not retired, for
 * this product and this key, for at most 400 days, and valid now.
 *
 * @param text `delegation/<DP>.<DS>`
 * @param roots the product's root keys that are not retired
 * @param now ISO 8601 UTC
 */
export function judgeDelegation(
  text: string,
  key: Pick<OnlineKeyRow, 'keyId' | 'publicKey' | 'productSlug'>,
  roots: readonly RootKey[],
  now: string,
): { delegation: Delegation } | { fault: DelegationFault } {
  const claimed = readDelegation(text);
  if (!claimed) return fault('MALFORMED', 'the text does not have the form delegation/<payload>.<signature>');
  const root = roots.find(({ keyId }) => keyId === claimed.root);
  if (!root) {
    return fault('ROOT_UNKNOWN', `${claimed.root} is not a root key of ${key.productSlug}, or it is retired`);
  }
  const delegation = openDelegation(text, Buffer.from(root.publicKey, 'base64'));
  if (!delegation) return fault('SIGNATURE_INVALID', `it is not signed by the root key ${root.keyId}`);
  return faultOfClaims(delegation, key, now) ?? { delegation };
}

function faultOfClaims(
  { prd, kid, pub, nbf, exp }: Delegation,
  key: Pick<OnlineKeyRow, 'keyId' | 'publicKey' | 'productSlug'>,
  now: string,
): { fault: DelegationFault } | null {
  if (prd !== key.productSlug) return fault('WRONG_PRODUCT', `it is for ${prd}, not for ${key.productSlug}`);
  if (kid !== key.keyId || pub !== Buffer.from(key.publicKey, 'base64').toString('base64url')) {
    return fault('WRONG_KEY', `it is for the key ${kid}, not for ${key.keyId}`);
  }
  if (exp - nbf > MAX_SECONDS) return fault('LIFE_TOO_LONG', 'it is valid for more than 400 days');
  const seconds = unixSeconds(now);
  if (seconds < nbf) return fault('NOT_YET_VALID', "it is not valid yet; check the signer's clock");
  return seconds < exp ? null : fault('EXPIRED', 'it has expired');
}
