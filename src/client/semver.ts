// Semantic versions 2.0: which of two is the newer one.

/** A version longer than this is none: what it costs to read one must not be up to its writer. */
const LONGEST = 100;
const NUMBER = /^(0|[1-9]\d*)$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;

export interface Version {
  /** Major, minor, patch: decimal texts, since they may be larger than any number that is counted exactly. */
  numbers: readonly string[];
  /** Identifiers after the hyphen; empty for a release. */
  prerelease: readonly string[];
}

/** @returns null for anything but a semantic version; build data behind a plus sign is left out */
export function parseVersion(text: string): Version | null {
  if (text.length > LONGEST) return null;
  const [precedence = '', build, ...more] = text.split('+');
  const hyphen = precedence.indexOf('-');
  const core = hyphen < 0 ? precedence : precedence.slice(0, hyphen);
  const numbers = core.split('.');
  const prerelease = hyphen < 0 ? [] : precedence.slice(hyphen + 1).split('.');
  const sound =
    more.length === 0 &&
    numbers.length === 3 &&
    numbers.every((part) => NUMBER.test(part)) &&
    prerelease.every((part) => IDENTIFIER.test(part) && (!/^\d+$/.test(part) || NUMBER.test(part))) &&
    (build === undefined || build.split('.').every((part) => IDENTIFIER.test(part)));
  return sound ? { numbers, prerelease } : null;
}

/** @returns negative when `a` stands before `b`, 0 when neither stands before the other */
export function compareVersions(a: Version, b: Version): number {
  for (const [place, number] of a.numbers.entries()) {
    const order = compareNumbers(number, b.numbers[place] ?? '0');
    if (order !== 0) return order;
  }
  // A prerelease stands before its release.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return b.prerelease.length - a.prerelease.length;
  }
  for (const [place, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[place];
    const order = other === undefined ? 1 : compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

const compareNumbers = (a: string, b: string): number => a.length - b.length || compareTexts(a, b);

/** By their characters, whatever the language of the machine. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Numbers stand before words. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [NUMBER.test(a), NUMBER.test(b)];
  if (aIsNumber && bIsNumber) return compareNumbers(a, b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return compareTexts(a, b);
}
