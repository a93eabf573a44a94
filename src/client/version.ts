/** The first run of one to three numbers, as semver's coercion finds it. */
const NUMBERS = /(?:^|\D)(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?(?:$|\D)/;
/** Semver knows no leading zero, and no number beyond. */
const isPart = (text: string): boolean => /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text));

/**
 * Whether an application version is within maxVersion (D83, D84): missing parts of maxVersion mean any, the version
 * is coerced (`v2.4`; of four parts the first three).
 *
 * @returns null when the question does not arise; false for a version that cannot be coerced
 */
export function versionAllowed(maxVersion: string | null, appVersion: string | undefined): boolean | null {
  if (maxVersion === null || appVersion === undefined) return null;
  const found = NUMBERS.exec(appVersion);
  const actual = [found?.[1], found?.[2] ?? '0', found?.[3] ?? '0'];
  if (!actual.every((part) => part !== undefined && isPart(part))) return false;
  for (const [place, limit] of maxVersion.split('.').entries()) {
    const difference = Number(actual[place]) - Number(limit);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
