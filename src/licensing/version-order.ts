import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';

/** Whether a text is a version as releases have it: semver 2.0, without a leading v and without blanks. */
export const isVersion = (text: string): boolean =>
  text.length <= 100 && /^\d[0-9A-Za-z.+-]*$/.test(text) && parse(text) !== null;

/**
 * Orders two versions by semver precedence.
 *
 * @returns below 0 when `a` comes before `b`, 0 when neither comes first
 * @throws TypeError for a text that is no version
 */
export const compareVersions = (a: string, b: string): number => compare(a, b);
