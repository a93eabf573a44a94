import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import { entitlementOf, type Features, isWithin } from '#licensing/licenses/decision/index.ts';
import { effectiveBps, FULL_ROLLOUT, inRollout, type Release } from '../releases/index.ts';
import { type Candidate, parseVersion, type Version } from './catalogue.ts';
import { fitOf, type Target, targetMeant } from './target.ts';

/** What a license opens. */
export interface Rights {
  /** The effective one; null for any version. */
  readonly maxVersion: string | null;
  /** The merged ones (D26). */
  readonly features: Features | null;
  /** Channels other than stable (D71). */
  readonly prereleases: boolean;
  /** An expired license of a product that gives critical updates nevertheless (6.8). */
  readonly onlyCritical: boolean;
}

/** Who asks for an update, and from where. */
export interface Question extends Target {
  /** null: whatever is installed, for a feed that is not told (6.12). */
  readonly installed: Version | null;
  readonly channel: ReleaseChannel;
  /** Whose place in a rollout counts: machine id, else id of the license (6.4). */
  readonly subject: string;
  /** Keys that the caller can verify with; null when it does not say (decision 0026). */
  readonly keyIds: readonly string[] | null;
  readonly rights: Rights;
}

/** What is offered, with the flags of everything between the installed version and the offered one (D89). */
export interface Choice extends Flags {
  readonly offer: Candidate | null;
  /** The newest that only maxVersion keeps from the caller; null beside an offer (D87). */
  readonly notAllowed: Candidate | null;
  /** What would be offered if every rollout were complete. */
  readonly whenRolledOut: Candidate | null;
}

/** Channels are inclusive: each takes those that come before it (D86). */
const RANKS: Readonly<Record<ReleaseChannel, number>> = { stable: 0, rc: 1, beta: 2, alpha: 3, nightly: 4 };

/**
 * Chooses what a caller is offered: the highest published version that it may have and that can follow what it has
 * (D85 to D89, D71, licensing 6.4, 6.7, 6.8). Never a downgrade. Pure: time decides about what is scheduled.
 *
 * @param candidates of one product
 * @param now ISO 8601 UTC with milliseconds
 */
export function chooseRelease(candidates: readonly Candidate[], question: Question, now: string): Choice {
  const published = candidates.filter((one) => isPublished(one, now));
  const target = targetMeant(published, question);
  const best = { offer: null, rolledOut: null, beyond: null } as Record<
    'offer' | 'rolledOut' | 'beyond',
    Candidate | null
  >;
  const receivable: Candidate[] = [];
  for (const one of published) {
    if (!mayReceive(one, question, target)) continue;
    const isAllowed = isWithinMax(one, question.rights.maxVersion);
    if (isAllowed) receivable.push(one);
    if (!canFollow(one, question)) continue;
    if (isAllowed) best.rolledOut = better(best.rolledOut, one, target);
    const place = isAllowed ? 'offer' : 'beyond';
    // A place in a rollout is a digest: it is asked only of what would be chosen.
    if (better(best[place], one, target) === one && isReached(one, question, now)) best[place] = one;
  }
  const { offer } = best;
  return {
    offer,
    ...flagsOf(offer ? receivable.filter(({ version }) => version.compare(offer.version) <= 0) : []),
    notAllowed: offer ? null : best.beyond,
    whenRolledOut: best.rolledOut,
  };
}

/**
 * What somebody may have who looks at all of it, whatever is installed and for every platform: an offer that they choose
 * among themselves.
 *
 * @param question `subject`: whose place in a rollout counts
 * @returns the highest version first; of several builds of one version that which fits any platform
 */
export const openReleases = (
  candidates: readonly Candidate[],
  question: Pick<Question, 'channel' | 'subject' | 'rights'>,
  now: string,
): Candidate[] =>
  candidates
    .filter(
      (one) =>
        isPublished(one, now) &&
        isOpen(one, question) &&
        isWithinMax(one, question.rights.maxVersion) &&
        isReached(one, question, now),
    )
    .sort((a, b) => b.version.compare(a.version) || (buildOf(a) < buildOf(b) ? -1 : 1));

const buildOf = ({ release: { platform, arch, version } }: Candidate): string =>
  `${platform} ${arch} ${version}`;

/** What a way to a version says, of all releases that it passes (D89). */
export interface Flags {
  readonly isCritical: boolean;
  readonly requiresMigration: boolean;
}

const flagsOf = (passed: readonly Pick<Candidate, 'release'>[]): Flags => ({
  isCritical: passed.some(({ release }) => release.isCritical),
  requiresMigration: passed.some(({ release }) => release.requiresMigration),
});

/**
 * The flags of the way to one release, as a check that offers it tells them (D89). The release itself always counts:
 * whoever repairs an installation asks for one that is no newer.
 *
 * @param candidates of its product
 * @param now ISO 8601 UTC with milliseconds
 */
export function flagsOnTheWay(
  candidates: readonly Candidate[],
  release: Release,
  question: Question,
  now: string,
): Flags {
  const published = candidates.filter((one) => isPublished(one, now));
  const target = targetMeant(published, question);
  const end = parseVersion(release.version);
  const passed = published.filter(
    (one) =>
      end !== null &&
      one.version.compare(end) <= 0 &&
      mayReceive(one, question, target) &&
      isWithinMax(one, question.rights.maxVersion),
  );
  return flagsOf([{ release }, ...passed]);
}

/** The builds of one version, for several processors. */
export interface Builds {
  /** Of the highest version that reaches the caller; none when no version does. */
  readonly offered: readonly Candidate[];
  /** What would be offered if every rollout were complete. */
  readonly whenRolledOut: readonly Candidate[];
}

/**
 * Chooses for a caller who does not tell its processor, and is told of all builds of a version at once (licensing
 * 6.12). They go out together, as far as the one of them that reaches the least: whoever were offered only some would
 * install the build of another processor.
 *
 * @param candidates of one product, the highest version first
 * @param archs the processors that the caller may have
 */
export function chooseBuilds(
  candidates: readonly Candidate[],
  question: Omit<Question, 'arch'>,
  archs: readonly string[],
  now: string,
): Builds {
  let whenRolledOut: readonly Candidate[] = [];
  for (const same of Map.groupBy(candidates, ({ version }) => version.version).values()) {
    const choices = archs.map((arch) => chooseRelease(same, { ...question, arch }, now));
    const builds = [...new Set(choices.flatMap((choice) => choice.whenRolledOut ?? []))];
    if (builds.length === 0) continue;
    if (whenRolledOut.length === 0) whenRolledOut = builds;
    if (isReachedByAll(builds, question.subject, now)) return { offered: builds, whenRolledOut };
  }
  return { offered: [], whenRolledOut };
}

/** The place in the rollout is that of the build that was made first, so that all draw the same. */
function isReachedByAll(builds: readonly Candidate[], subject: string, now: string): boolean {
  const [first = ''] = builds.map(({ release }) => release.id).sort();
  const reach = builds.map(({ release }) =>
    release.isCritical ? FULL_ROLLOUT : effectiveBps(release.rollout, now),
  );
  return inRollout(first, subject, Math.min(...reach));
}

const isPublished = ({ release: { state, publishedAt } }: Candidate, now: string): boolean =>
  state === 'PUBLISHED' && publishedAt !== null && publishedAt <= now;

/** What is newer and meant for this caller. What lies between two versions is told of by it alone (D89). */
function mayReceive({ release, version }: Candidate, question: Question, target: Target): boolean {
  const { installed } = question;
  if (installed !== null && version.compare(installed) <= 0) return false;
  return isOpen({ release }, question) && fitOf({ release }, target) >= 0;
}

/** Whether the channel and what the license opens let a release through. */
const isOpen = (
  { release }: Pick<Candidate, 'release'>,
  { channel, rights }: Pick<Question, 'channel' | 'rights'>,
): boolean =>
  (release.isCritical || !rights.onlyCritical) &&
  channelOpens(channel, release.channel, rights) &&
  isEntitled(release.requiredEntitlements, rights.features);

const channelOpens = (asked: ReleaseChannel, of: ReleaseChannel, { prereleases }: Rights): boolean =>
  RANKS[of] <= (prereleases ? RANKS[asked] : RANKS.stable);

const isEntitled = (needed: readonly string[], features: Features | null): boolean =>
  needed.every((name) => entitlementOf(features, name).entitled);

const isWithinMax = ({ version }: Candidate, max: string | null): boolean =>
  max === null || isWithin(max, version);

/** Whether it can be installed over what is there, and verified by who is there. */
const canFollow = ({ release, minFrom }: Candidate, { installed, keyIds }: Question): boolean =>
  (minFrom === null || installed === null || minFrom.compare(installed) <= 0) &&
  (keyIds === null || (release.keyId !== null && keyIds.includes(release.keyId)));

/** A critical release waits for no rollout (6.4). */
const isReached = ({ release }: Candidate, { subject }: Pick<Question, 'subject'>, now: string): boolean =>
  release.isCritical || inRollout(release.id, subject, effectiveBps(release.rollout, now));

/** The higher version; of two builds of one version that which fits the caller more closely. */
function better(kept: Candidate | null, one: Candidate, target: Target): Candidate {
  if (kept === null) return one;
  const order =
    one.version.compare(kept.version) ||
    fitOf(one, target) - fitOf(kept, target) ||
    one.version.compareBuild(kept.version);
  return order > 0 ? one : kept;
}
