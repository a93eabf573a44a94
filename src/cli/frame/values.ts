import { usageError } from './errors.ts';

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * Reads a duration such as 90s, 30m, 12h, 30d or 2w.
 * @returns seconds, or undefined when the text is no duration
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhdw])$/.exec(text);
  const factor = secondsPerUnit[match?.[2] ?? ''];
  return factor === undefined ? undefined : Number(match?.[1]) * factor;
}

/**
 * Reads a JSON object given as text.
 * @param flag named in the error
 * @throws usage error (2) when the text is not a JSON object
 */
export function parseJsonObject(flag: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw usageError(`${flag} is not a JSON object`, `write ${flag} '{"name": true}'`);
}

/**
 * Reads `key=value` pairs; a pair without `=` stands for true.
 * @throws usage error (2) for a pair without a name
 */
export function parsePairs(flag: string, pairs: readonly string[]): Record<string, string | true> {
  const entries = pairs.map((pair): [string, string | true] => {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (name === '') throw usageError(`${flag} '${pair}' has no name`, `write ${flag} name=value`);
    return [name, at < 0 ? true : pair.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}

/** Shows the first two groups of a license key: `APP-7F3K-****-****-****`. */
export function maskLicenseKey(key: string): string {
  const groups = key.split('-');
  if (groups.length < 3) return `${key.slice(0, Math.min(4, Math.floor(key.length / 3)))}****`;
  return groups.map((group, index) => (index < 2 ? group : '*'.repeat(group.length))).join('-');
}

/** What is wrong with a slug; undefined for one that is right. */
export const slugProblem = (text: string): string | undefined =>
  /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)
    ? undefined
    : 'lower-case letters, digits and hyphens, such as my-editor';

/** A slug for a name: `Über Editor 2` is `uber-editor-2`. Empty where no letter of it fits. */
export const slugProposed = (name: unknown): string =>
  String(name ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50);
