/**
 * Where the bytes of a digest are kept, in a folder as in a bucket: `ab/ab12…` (decision 0024). Nothing that a user
 * wrote is part of it (M27).
 *
 * @param sha256 lower-case hex
 * @throws Error for anything else
 */
export function locationOf(sha256: string): string {
  const location = `${sha256.slice(0, 2)}/${sha256}`;
  if (!isLocation(location)) throw new Error('a location is made of a SHA-256 in lower-case hex');
  return location;
}

/** Whether a text is a location and nothing else: no other path is ever opened, removed or listed. */
export const isLocation = (text: string): boolean => /^([0-9a-f]{2})\/\1[0-9a-f]{62}$/.test(text);

/**
 * Where a file that belongs to the bytes of a digest is kept: `ab12…/thumbnail`.
 *
 * @param sha256 lower-case hex, of the bytes that it was made from
 * @param part small letters
 * @throws Error for anything else
 */
export function partLocationOf(sha256: string, part: string): string {
  const location = `${sha256}/${part}`;
  if (!isPartLocation(location))
    throw new Error('a location is made of a SHA-256 in lower-case hex and a name');
  return location;
}

/** Whether a text is the location of a part and nothing else. */
export const isPartLocation = (text: string): boolean => /^[0-9a-f]{64}\/[a-z]{1,20}$/.test(text);
