// Texts and bytes, with what browsers and servers share.

/** Bytes that WebCrypto takes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** UTF-8. */
export const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text));

/** @returns null for bytes that are no UTF-8 */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Lower-case hexadecimal. */
export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @returns null unless the text is hexadecimal of either case for exactly `length` bytes */
export function fromHex(text: string, length: number): Bytes | null {
  if (text.length !== length * 2 || !/^[0-9a-fA-F]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, place) => Number.parseInt(text.slice(place * 2, place * 2 + 2), 16));
}

/** Base64 with padding. */
export const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Base64 for URLs, without padding. */
export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Decodes padded base64. @returns null for anything that encoding would not have written */
export function fromBase64(text: string): Bytes | null {
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    // atob skips blanks and spare bits: only one text may stand for some bytes.
    return base64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

/** Decodes base64url without padding as strictly as fromBase64. */
export function fromBase64url(text: string): Bytes | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}

/** SHA-256, 32 bytes. WebCrypto exists in secure contexts only: a page must come over https. */
export const sha256 = async (bytes: Uint8Array): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));

/** Random text of `length` bytes in base64url: nonces, idempotency keys, machine ids. */
export const randomText = (length: number): string =>
  base64url(crypto.getRandomValues(new Uint8Array(length)));

/** A random number from 0 to below 1, for jitter. */
export const randomFraction = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
