import type { Candidate } from './catalogue.ts';

/** What a caller runs on; undefined where it does not say. */
export interface Target {
  readonly platform: string | undefined;
  readonly arch: string | undefined;
}

/**
 * What a caller means who names no platform or processor: the only one that the product has, if there is one
 * (licensing 6.7).
 *
 * @param published the releases of the product that are offered now
 */
export const targetMeant = (published: readonly Candidate[], { platform, arch }: Target): Target => ({
  platform: platform ?? onlyOne(published, ({ release }) => release.platform),
  arch: arch ?? onlyOne(published, ({ release }) => release.arch),
});

function onlyOne(published: readonly Candidate[], nameOf: (one: Candidate) => string): string | undefined {
  let only: string | undefined;
  for (const one of published) {
    const name = nameOf(one);
    if (name === '' || name === only) continue;
    if (only !== undefined) return undefined;
    only = name;
  }
  return only;
}

/**
 * How closely a release fits a target, and -1 when it does not (licensing 6.7): an empty name fits any, `universal`
 * every processor. The platform weighs more than the processor.
 */
export function fitOf({ release }: Pick<Candidate, 'release'>, { platform, arch }: Target): number {
  const ofPlatform = release.platform === '' ? 0 : release.platform === platform ? 3 : -1;
  const ofArch = release.arch === '' ? 0 : release.arch === arch ? 2 : release.arch === 'universal' ? 1 : -1;
  return ofPlatform < 0 || ofArch < 0 ? -1 : ofPlatform + ofArch;
}
