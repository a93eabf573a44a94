import { alphabets, drawnCharacters, type KeyFormat } from './format.ts';
import { checkCharacter, luhnHolds } from './luhn.ts';

/** A cryptographically secure source: `n` random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/**
 * Draws a license key of a format (D56, D133). Uniqueness is the caller's concern: an index decides, not chance.
 *
 * @param format a format that `formatFault` accepts
 * @param randomBytes CSPRNG; called again when characters had to be rejected
 */
export function generateKey(format: KeyFormat, randomBytes: RandomBytes): string {
  const alphabet = alphabets[format.alphabet];
  const drawn = drawCharacters(alphabet, drawnCharacters(format), randomBytes);
  const body = format.checksum === 'LUHN' ? drawn + checkCharacter(drawn, alphabet) : drawn;
  let key = format.prefix;
  for (let at = 0; at < body.length; at += format.segmentLength) {
    key += `-${body.slice(at, at + format.segmentLength)}`;
  }
  return key;
}

/**
 * Whether a key's check character is right. True for formats without one. The prefix takes no part.
 *
 * @param key canonical spelling (upper case)
 */
export function checksumHolds(key: string, format: KeyFormat): boolean {
  if (format.checksum === 'NONE') return true;
  const body = key.slice(key.indexOf('-') + 1).replaceAll('-', '');
  return luhnHolds(body, alphabets[format.alphabet]);
}

/** Bytes at or above the largest multiple of N are thrown away: a plain remainder would favour some characters. */
function drawCharacters(alphabet: string, count: number, randomBytes: RandomBytes): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < count) {
    for (const byte of randomBytes(count - text.length)) {
      if (byte < limit) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
