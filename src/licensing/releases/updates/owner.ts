import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { releasesVersionOf } from '#licensing/catalog/products/index.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import { effectiveBps, FULL_ROLLOUT } from '../releases/index.ts';
import { admitOwner, judgeUpdate, rightsOf } from './access.ts';
import { rememberedReleases } from './catalogue.ts';
import { openReleases } from './choose.ts';
import { openServed } from './download.ts';
import { isServed, type ServedRelease, servedRelease } from './served.ts';

/** A release as the customer sees it whose license opens it. */
export interface OwnRelease {
  readonly releaseId: string;
  readonly version: string;
  readonly channel: ReleaseChannel;
  /** null for any. */
  readonly platform: string | null;
  readonly arch: string | null;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly signature: string;
  /** Of the key that made the signature: one of `publicKeysFor`. */
  readonly keyId: string;
  readonly publishedAt: string;
  readonly changelog: string;
}

/** The bytes of a release on their way to its owner. */
export interface OwnBundle extends OwnRelease {
  /** With the headers of `updates/download`; it must be closed. */
  readonly content: Content;
}

/**
 * The releases that a license opens to its owner, the highest version first and all platforms: what a check without a
 * machine would offer, whatever is installed (licensing 2.12; D85, D86). While a release is rolled out the license has
 * its place in it, as it has there.
 *
 * @throws AppError INVALID_LICENSE for a license that is unknown or not ACTIVE
 */
export async function releasesFor(
  ctx: Ctx,
  licenseId: string,
  channel: ReleaseChannel,
): Promise<OwnRelease[]> {
  const standing = await admitOwner(ctx, licenseId);
  return (await openTo(ctx, standing, channel)).map(shown);
}

/** The highest version of `releasesFor`; null where the license opens none. @throws as `releasesFor` */
export async function latestFor(
  ctx: Ctx,
  licenseId: string,
  channel: ReleaseChannel,
): Promise<OwnRelease | null> {
  const [first] = await openTo(ctx, await admitOwner(ctx, licenseId), channel);
  return first ? shown(first) : null;
}

/** Somebody who has bought nothing yet: what needs more than a license is not promised. */
const BUYER = { features: null, prereleases: false, onlyCritical: false } as const;

/**
 * The newest stable release that whoever buys a license of a product gets at once: none that is still being rolled out
 * (licensing 2.12).
 *
 * @param maxVersion newest version that the license will run; null: every one
 * @returns null for an unknown product, and where nothing is published
 */
export async function newestFor(
  ctx: Ctx,
  productId: string,
  maxVersion: string | null,
): Promise<OwnRelease | null> {
  const version = await releasesVersionOf(ctx, productId);
  if (version === null) return null;
  const now = ctx.now();
  const { candidates } = await rememberedReleases(ctx, productId, version);
  const question = { channel: 'stable', subject: productId, rights: { ...BUYER, maxVersion } } as const;
  const [first] = openReleases(candidates, question, now)
    .map(({ release }) => release)
    .filter((release) => isForAll(release, now))
    .filter((release) => isServed(release, now));
  return first ? shown(first) : null;
}

const isForAll = (
  { isCritical, rollout }: Pick<ServedRelease, 'isCritical' | 'rollout'>,
  now: string,
): boolean => isCritical || effectiveBps(rollout, now) >= FULL_ROLLOUT;

async function openTo(ctx: Ctx, standing: UpdateStanding, channel: ReleaseChannel): Promise<ServedRelease[]> {
  judgeUpdate(ctx, standing, null, '');
  const now = ctx.now();
  const { candidates } = await rememberedReleases(ctx, standing.product.id, standing.releasesVersion);
  const question = { channel, subject: standing.license.id, rights: rightsOf(standing, now) };
  return openReleases(candidates, question, now)
    .map(({ release }) => release)
    .filter((release) => isServed(release, now));
}

/**
 * Opens the bytes of a release for the owner of a license, who is judged again (D90, D92): who has the id of an older
 * release repairs an installation. Not inside of a transaction. The download is counted when its first byte is sent.
 *
 * @throws AppError INVALID_LICENSE as `releasesFor`, and for a release of another product; NOT_FOUND for one that is
 *   unknown, withdrawn, not published now, or beyond what the license covers; SERVER_ERROR for damaged bytes
 */
export async function openBundleFor(ctx: Ctx, licenseId: string, releaseId: string): Promise<OwnBundle> {
  const standing = await admitOwner(ctx, licenseId);
  const release = await servedRelease(ctx, standing, releaseId, '');
  return { ...shown(release), content: await openServed(ctx, release, '') };
}

const shown = (release: ServedRelease): OwnRelease => ({
  releaseId: release.id,
  version: release.version,
  channel: release.channel,
  platform: release.platform || null,
  arch: release.arch || null,
  filename: release.bundleFilename,
  sizeBytes: release.bundleSize,
  sha256: release.bundleSha256,
  signature: release.signature,
  keyId: release.keyId,
  publishedAt: release.publishedAt,
  changelog: release.changelog,
});
