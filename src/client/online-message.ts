// What the online key of a product signs in its compact form (licensing.md 6.1): `<kind>/<P>.<S>.<DP>.<DS>`.
import { fromBase64url, utf8 } from './bytes.ts';
import { openDelegation, payloadOf, type TrustBase } from './delegation.ts';
import { isSigned } from './ed25519.ts';
import type { JsonObject } from './shape.ts';

/** A message whose form is right; nothing of it is verified yet. */
export interface OnlineMessage {
  kind: 'license' | 'timestamp';
  /** `P`, base64url. */
  text: string;
  /** What `P` holds. */
  body: JsonObject;
  /** `S`, base64url. */
  signature: string;
  /** `DP` and `DS`, base64url. */
  delegation: { payload: string; signature: string };
}

/** @returns null for a text of another kind or form */
export function readOnlineMessage(kind: OnlineMessage['kind'], message: string): OnlineMessage | null {
  const parts = /^([a-z]+)\/([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(message);
  const [, found, text = '', signature = '', payload = '', rootSignature = ''] = parts ?? [];
  const body = payloadOf(text);
  if (found !== kind || body === null || payloadOf(payload) === null) return null;
  return { kind, text, body, signature, delegation: { payload, signature: rootSignature } };
}

/**
 * Judges who signed a message: an online key of the own product that a root key has delegated for this kind.
 *
 * @param now Unix milliseconds
 * @returns null when everything holds
 * @throws NoEd25519Error
 */
export async function faultOfOnlineMessage(
  { kind, text, body, signature, delegation: delegated }: OnlineMessage,
  trust: TrustBase,
  now: number,
): Promise<'DELEGATION_INVALID' | 'SIGNATURE_INVALID' | null> {
  const delegation = await openDelegation(trust, delegated, kind, now);
  if (typeof delegation === 'string') return 'DELEGATION_INVALID';
  const signed =
    body.kid === delegation.keyId &&
    body.prd === trust.product &&
    (await isSigned(trust.verify, delegation.publicKey, utf8(`${kind}/${text}`), fromBase64url(signature)));
  return signed ? null : 'SIGNATURE_INVALID';
}
