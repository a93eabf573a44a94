const CHARACTERS = /^[A-Za-z0-9-]+$/;
const BEGINNING = /^[A-Za-z0-9]{2,10}-[A-Za-z0-9]{4}$/;
const SEGMENT = 4;
/** So many may follow the beginning. */
const SEGMENTS = Array.from({ length: 17 }, (_, n) => n + 3);
const SHAPED = /^([A-Za-z0-9]{2,10}-[A-Za-z0-9]{4})((?:-[A-Za-z0-9]{4}){3,19})$/;

/** Whether all characters of a key are allowed ones; only the character set can be judged (D12). */
export const keyShape = (key: string): boolean => CHARACTERS.test(key);

/** The spelling that look-up digests are made of: trimmed and upper-case (D11). */
export const canonicalKey = (key: string): string => key.trim().toUpperCase();

/**
 * The second spelling to look up when the first finds nothing: letters that people take for digits are read as
 * digits, O as 0, I and L as 1, in everything after the first hyphen (D11).
 *
 * @param canonical result of `canonicalKey`
 * @returns null when it would equal the first spelling
 */
export function alternativeKey(canonical: string): string | null {
  const hyphen = canonical.indexOf('-');
  if (hyphen < 0) return null;
  const tail = canonical.slice(hyphen).replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  const alternative = canonical.slice(0, hyphen) + tail;
  return alternative === canonical ? null : alternative;
}

/**
 * The part of a key that may be shown (licenseKeyPrefix, D31): prefix segment, hyphen and first four characters,
 * `APP-7F3K`. An imported key of another shape shows its first min(9, length / 3) characters.
 * A shape needs four segments at least, as every format has; otherwise too much of a short key would show.
 */
export function keyPrefix(key: string): string {
  return SHAPED.exec(key)?.[1] ?? key.slice(0, shownOfOther(key.length));
}

const shownOfOther = (length: number): number => Math.min(9, Math.floor(length / 3));

/** A key for human eyes: `APP-7F3K-****-****-****`. A key of another shape does not tell its length. */
export function maskKey(key: string): string {
  const match = SHAPED.exec(key);
  if (match === null) return `${keyPrefix(key)}****`;
  return `${match[1]}${(match[2] as string).replaceAll(/[^-]/g, '*')}`;
}

/**
 * As `maskKey`, of a key that stays sealed: by the part of it that may be shown, and its length.
 *
 * @returns null where these two do not tell the shape of the key
 */
export function maskUnseen(prefix: string, length: number): string | null {
  const segments = (length - prefix.length) / (SEGMENT + 1);
  const isShaped = BEGINNING.test(prefix) && SEGMENTS.includes(segments);
  // A key of another shape may begin like this by chance.
  const isOther = prefix.length === shownOfOther(length);
  return isShaped && !isOther ? prefix + `-${'*'.repeat(SEGMENT)}`.repeat(segments) : null;
}
