import * as z from 'zod/mini';
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

const KIND = 'continuity/';
const FORM = /^(continuity\/[A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

/** Payload of a continuity statement: the old key says which key comes after it, and when. */
const Continuity = z.object({
  v: z.literal(1),
  product: z.string(),
  old: keyIdClaim(),
  next: keyIdClaim(),
  pub: publicKeyClaim(),
  activateAt: z.string(),
  issuedAt: z.string(),
});
export type Continuity = z.infer<typeof Continuity>;

/**
 * Signs with a product's release key which key comes after it (licensing D98). The message starts with its kind and is
 * longer than a digest, so it passes for no other signed message (licensing 6.1).
 *
 * @param wanted product slug, the next key's 32 raw bytes, and when it takes over (ISO 8601 UTC)
 * @param now ISO 8601 UTC
 * @returns `continuity/<P>.<S>`
 * @throws Ed25519Error for a public key that requirePublicKey refuses
 */
export function signContinuity(
  wanted: { product: string; next: Buffer; activateAt: string },
  old: SigningKey,
  now: string,
): string {
  const next = requirePublicKey(wanted.next);
  const payload: Continuity = {
    v: 1,
    product: wanted.product,
    old: old.keyId,
    next: keyIdOf(next),
    pub: next.toString('base64url'),
    activateAt: wanted.activateAt,
    issuedAt: now,
  };
  const statement = `${KIND}${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${statement}.${old.sign(Buffer.from(statement, 'ascii')).toString('base64url')}`;
}

/**
 * Reads a continuity statement after checking its signature over the received text.
 *
 * @param text `continuity/<P>.<S>`
 * @param oldPublicKey 32 raw bytes of the key that is said to have signed it
 * @returns null when the form or the signature is bad, or a key id is not that of its key
 */
export function openContinuity(text: string, oldPublicKey: Buffer): Continuity | null {
  const [, statement = '', signature = ''] = FORM.exec(text) ?? [];
  try {
    const bytes = decodeBase64url(signature, SIGNATURE_BYTES);
    if (!verify(oldPublicKey, Buffer.from(statement, 'ascii'), bytes)) return null;
    const payload = Buffer.from(statement.slice(KIND.length), 'base64url').toString('utf8');
    const claims = Continuity.parse(JSON.parse(payload));
    const next = requirePublicKey(decodeBase64url(claims.pub, PUBLIC_KEY_BYTES));
    return claims.next === keyIdOf(next) && claims.old === keyIdOf(oldPublicKey) ? claims : null;
  } catch {
    return null;
  }
}

/** The two parts of `continuity/<P>.<S>`: what was signed, and the signature in padded base64. */
export function continuityParts(text: string): { statement: string; signature: string } {
  const [, statement = '', signature = ''] = FORM.exec(text) ?? [];
  return { statement, signature: Buffer.from(signature, 'base64url').toString('base64') };
}
