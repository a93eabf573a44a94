import coerce from 'semver/functions/coerce.js';

/**
 * Whether an application version is within maxVersion (D83, D84). Missing parts of maxVersion mean any: `2` allows
 * 2.99.99. The version is coerced (`v2.4`; of four parts the first three). A prerelease stands before its release
 * by semver precedence, and maxVersion names releases only, so after the part-by-part test nothing is left to compare.
 *
 * @param maxVersion effective maxVersion, one to three numeric parts; null = no restriction
 * @param appVersion as sent; undefined = not sent
 * @returns undefined when the question does not arise; false for a version that cannot be coerced
 */
export function versionAllowed(
  maxVersion: string | null,
  appVersion: string | undefined,
): boolean | undefined {
  if (maxVersion === null || appVersion === undefined) return undefined;
  const version = coerce(appVersion);
  return version !== null && isWithin(maxVersion, version);
}

/** The same for the three numbers of a version that was parsed. */
export function isWithin(
  maxVersion: string,
  version: { readonly major: number; readonly minor: number; readonly patch: number },
): boolean {
  const actual = [version.major, version.minor, version.patch];
  for (const [place, part] of maxVersion.split('.').entries()) {
    const difference = (actual[place] as number) - Number(part);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
