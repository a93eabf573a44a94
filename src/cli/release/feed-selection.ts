import {
  compareVersions,
  effectiveBps,
  FULL_ROLLOUT,
  type Release,
} from '#licensing/releases/releases/index.ts';
import { CHANNELS } from '#signing/releases/statement.ts';

/** A release that has everything a feed tells. */
export type FeedRelease = Release & {
  readonly bundleFilename: string;
  readonly bundleSize: number;
  readonly bundleSha256: string;
  readonly publishedAt: string;
};

export type Channel = Release['channel'];

/**
 * The releases that a file may offer to anybody: published, out, for every machine and without a feature that a
 * license must have. The newest version comes first.
 *
 * @param now ISO 8601 UTC
 */
export const openReleases = (releases: readonly Release[], now: string): FeedRelease[] =>
  releases
    .filter((release): release is FeedRelease => isComplete(release) && isOpen(release, now))
    .sort((a, b) => compareVersions(b.version, a.version) || order(a, b));

const isComplete = ({ bundleFilename, bundleSize, bundleSha256, publishedAt }: Release): boolean =>
  ![bundleFilename, bundleSize, bundleSha256, publishedAt].includes(null);

function isOpen(release: Release, now: string): boolean {
  const { state, publishedAt, isCritical, requiredEntitlements, rollout } = release;
  const isOut = state === 'PUBLISHED' && publishedAt !== null && publishedAt <= now;
  const isForAll = isCritical || effectiveBps(rollout, now) === FULL_ROLLOUT;
  return isOut && isForAll && requiredEntitlements.length === 0;
}

/** Within one version the same order on every run. */
function order(a: Release, b: Release): number {
  const [one, other] = [`${a.platform} ${a.arch}`, `${b.platform} ${b.arch}`];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The releases of a channel's feed: its own, and those of every channel before it (D86). */
export const ofChannel = (releases: readonly FeedRelease[], channel: Channel): FeedRelease[] =>
  releases.filter((release) => CHANNELS.indexOf(release.channel) <= CHANNELS.indexOf(channel));

/** Stable, and every channel that has a release of its own. */
export const channelsWith = (releases: readonly FeedRelease[]): Channel[] =>
  CHANNELS.filter((channel) => channel === 'stable' || releases.some((one) => one.channel === channel));

/** Where a bundle lies below the folder of the feed, as in the addresses of the server's own feeds (licensing 6.12). */
export const bundlePath = ({ id, bundleFilename }: FeedRelease): string => `files/${id}/${bundleFilename}`;

/**
 * The address of a bundle.
 *
 * @param baseUrl where the folder of the feed will be, with a slash at its end; null: relative to the feed
 */
export const bundleUrl = (release: FeedRelease, baseUrl: string | null): string =>
  `${baseUrl ?? ''}files/${release.id}/${encodeURIComponent(release.bundleFilename)}`;
