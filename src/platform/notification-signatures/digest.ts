import { createHmac, timingSafeEqual } from 'node:crypto';

const DIGEST_BYTES = 32;
/** A shorter secret could be guessed, and anyone can sign with an empty one (M9). */
const LEAST_SECRET = 16;

/**
 * Whether one of the digests is the HMAC-SHA256 of the parts under one of the secrets (D104 to D108). Secrets that are
 * too short to be secrets sign nothing, also when they were stored.
 *
 * @param digests as decoded; those that are not of 32 bytes match nothing
 * @param parts of the signed text, in their order
 */
export function isSigned(
  digests: readonly Buffer[],
  secrets: readonly string[],
  parts: readonly (string | Buffer)[],
): boolean {
  const whole = digests.filter(({ length }) => length === DIGEST_BYTES);
  return secrets.filter(isUsable).some((secret) => {
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(part);
    const expected = hmac.digest();
    return whole.some((digest) => timingSafeEqual(digest, expected));
  });
}

/** Whether a secret may be used at all. */
export const isUsable = (secret: string): boolean => secret.length >= LEAST_SECRET;

/** The bytes of a digest of 64 hex digits; null for any other text. `Buffer.from` alone reads half a digit as nothing. */
export const hexDigest = (text: string): Buffer | null =>
  /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : null;

/** The bytes of a digest in canonical base64; null for any other text. */
export function base64Digest(text: string): Buffer | null {
  if (text.length !== 44) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === DIGEST_BYTES && bytes.toString('base64') === text ? bytes : null;
}
