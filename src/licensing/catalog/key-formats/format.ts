import type { KeyAlphabet, KeyChecksum } from '#licensing/contract/enumerations.ts';

/** How license keys of a product or tenant are drawn (D133). */
export interface KeyFormat {
  /** 2 to 10 characters `[A-Z0-9]`, without the hyphen. */
  prefix: string;
  /** Number of segments after the prefix, 4 to 20. */
  segments: number;
  segmentLength: 4;
  alphabet: KeyAlphabet;
  /** LUHN: the last character is a check character for typing checks at the client. */
  checksum: KeyChecksum;
}

/** The built-in format: `APP-XXXX-XXXX-XXXX-XXXX`, 80 bits (D56). */
export const DEFAULT_KEY_FORMAT: KeyFormat = {
  prefix: 'APP',
  segments: 4,
  segmentLength: 4,
  alphabet: 'CROCKFORD32',
  checksum: 'NONE',
};

/** The characters of each alphabet, in the order that the check character counts in. */
export const alphabets: Readonly<Record<KeyAlphabet, string>> = {
  CROCKFORD32: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  HEX: '0123456789ABCDEF',
  ALNUM36: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
};

/** Fewest bits that a format must draw, so that keys cannot be guessed (D133). */
export const LEAST_ENTROPY_BITS = 64;

/** Length of a key of this format in characters. */
export const keyLength = (format: KeyFormat): number =>
  format.prefix.length + format.segments * (format.segmentLength + 1);

/** Number of characters that are drawn at random; the check character is not. */
export const drawnCharacters = (format: KeyFormat): number =>
  format.segments * format.segmentLength - (format.checksum === 'LUHN' ? 1 : 0);

/** Bits of randomness in a key of this format. */
export const entropyBits = (format: KeyFormat): number =>
  drawnCharacters(format) * Math.log2(alphabets[format.alphabet].length);

/**
 * Why a format cannot be used, as `[field, message]`, or null. Bounds of single fields are the schema's concern;
 * this judges what only the whole tells (D133).
 */
export function formatFault(format: KeyFormat): [field: keyof KeyFormat, message: string] | null {
  const bits = entropyBits(format);
  if (bits < LEAST_ENTROPY_BITS) {
    return [
      'segments',
      `gives ${Math.floor(bits)} bits of randomness, at least ${LEAST_ENTROPY_BITS} are needed`,
    ];
  }
  const length = keyLength(format);
  if (length < 10 || length > 100)
    return ['segments', `gives keys of ${length} characters, allowed are 10 to 100`];
  return null;
}
