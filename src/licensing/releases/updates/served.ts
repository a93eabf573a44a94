import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import type { Release } from '../releases/index.ts';
import { FOREIGN, judgeUpdate, rightsOf } from './access.ts';
import { rememberedReleases } from './catalogue.ts';
import * as repo from './repository.ts';

/** A release that may be sent: publishing saw to it that all of this is there. */
export type ServedRelease = Release & {
  bundleFilename: string;
  bundleSize: number;
  bundleSha256: string;
  signature: string;
  keyId: string;
  publishedAt: string;
};

/**
 * The release of an id, for somebody who may have it (D90). Rollout and version gates do not apply: whoever has the id
 * repairs an installation.
 *
 * @throws AppError INVALID_LICENSE for a release of another product; NOT_FOUND for one that is unknown, not published
 *   now, or beyond what the license covers
 */
export async function servedRelease(
  ctx: Ctx,
  standing: UpdateStanding,
  releaseId: string,
  machineId: string,
): Promise<ServedRelease> {
  const { product, releasesVersion } = standing;
  const { byId } = await rememberedReleases(ctx, product.id, releasesVersion);
  const release = byId.get(releaseId);
  if (!release) return refuseMissing(ctx, standing, releaseId, machineId);
  judgeUpdate(ctx, standing, release, machineId);
  const now = ctx.now();
  const isHeldBack = release.channel !== 'stable' && !rightsOf(standing, now).prereleases;
  if (isHeldBack || !isServed(release, now)) throw notFound();
  return release;
}

/** Whose release it is decides: one of another product is none of this license's business. */
async function refuseMissing(
  ctx: Ctx,
  standing: UpdateStanding,
  releaseId: string,
  machineId: string,
): Promise<never> {
  const productId = await repo.findProductOf(ctx, releaseId);
  const isForeign = productId !== null && productId !== standing.product.id;
  judgeUpdate(ctx, standing, isForeign ? { ...FOREIGN, productId } : null, machineId);
  throw notFound();
}

const notFound = () => fail('NOT_FOUND', 'Release not found');

/** Published now: what is scheduled is served from its time on. */
export const isServed = (release: Release, now: string): release is ServedRelease =>
  release.publishedAt !== null &&
  release.publishedAt <= now &&
  release.bundleFilename !== null &&
  release.bundleSize !== null &&
  release.bundleSha256 !== null &&
  release.signature !== null &&
  release.keyId !== null;
