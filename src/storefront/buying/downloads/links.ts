import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as tokens from '#platform/one-time-tokens/index.ts';
import {
  type DeliveredLicense,
  type DeliveredOrder,
  type LicenseFile,
  licenseFiles,
} from '#storefront/contract/extensions.ts';
import type { HeldGrant } from './queries.ts';
import type { DownloadGrant } from './record.ts';

const PURPOSE = 'download';
const LINK_SECONDS = 15 * 60;
/** So long after its first byte a download that broke off goes on with the same link. */
const RESUME_SECONDS = 3600;

/** Where a file is fetched, once. */
export interface DownloadLink {
  /** Path inside this installation. */
  readonly path: string;
  readonly url: string;
  /** ISO time. */
  readonly expiresAt: string;
}

/** Why a file cannot be fetched now; null while it can. */
export function endOf(ctx: Ctx, grant: HeldGrant): keyof typeof ENDED | null {
  if (grant.revokedAt !== null) return 'revoked';
  if (grant.isSuspended) return 'suspended';
  if (grant.expiresAt !== null && grant.expiresAt <= ctx.now()) return 'expired';
  return leftOf(grant) === 0 ? 'used' : null;
}

/** How often a file can still be fetched; null: as often as wanted. */
export const leftOf = ({ maxDownloads, downloadsUsed }: DownloadGrant): number | null =>
  maxDownloads === null ? null : Math.max(0, maxDownloads - downloadsUsed);

const ENDED = {
  used: ['TOKEN_USED', 'All downloads of this file have been used. Contact the shop for more'],
  expired: ['TOKEN_EXPIRED', 'The download period for this file has ended. Contact the shop for more'],
  revoked: ['TOKEN_INVALID', 'Access to this file was revoked'],
  suspended: [
    'TOKEN_INVALID',
    'This file cannot be downloaded while its order is being returned or disputed',
  ],
} as const;

/** How a file that cannot be fetched any more is refused. @param code by how it was asked for (storefront-api 1.3) */
export function endedFail(end: keyof typeof ENDED, code: 'NOT_FOUND' | 'VALIDATION_ERROR') {
  const [reason, words] = ENDED[end];
  return fail(code, words, { details: { reason } });
}

/**
 * Makes a link that fetches a file once, for 15 minutes. Making one uses nothing up; earlier ones stay.
 *
 * @throws AppError VALIDATION_ERROR, reason TOKEN_USED or TOKEN_EXPIRED, for a file that cannot be fetched any more
 */
export async function linkTo(ctx: Ctx, grant: HeldGrant): Promise<DownloadLink> {
  const end = endOf(ctx, grant);
  if (end !== null) throw endedFail(end, 'VALIDATION_ERROR');
  return issueLink(ctx, grant.id);
}

/** The newest stable releases that the licenses of an order open. */
export async function newestReleases(
  ctx: Ctx,
  licenses: readonly DeliveredLicense[],
): Promise<readonly LicenseFile[]> {
  const places = await ctx.filled(licenseFiles);
  return (await Promise.all(places.map((place) => place.newestOf(ctx, licenses)))).flat();
}

/** The link of a release, by a license of an order. @throws AppError NOT_FOUND for a license or a release of somebody else */
export async function linkToRelease(
  ctx: Ctx,
  order: DeliveredOrder,
  asked: { readonly licenseId: string; readonly releaseId: string },
): Promise<DownloadLink> {
  for (const place of await ctx.filled(licenseFiles)) {
    const found = await place.linkOf(ctx, order, asked);
    if (found) return issueLink(ctx, found.subjectId, found.data);
  }
  throw fail('NOT_FOUND', `the order has no release ${asked.releaseId} of license ${asked.licenseId}`);
}

/** The link of whatever a download link can fetch. @param data for whoever opens it */
export async function issueLink(
  ctx: Ctx,
  subjectId: string,
  data: Readonly<Record<string, string>> = {},
): Promise<DownloadLink> {
  const asked = { purpose: PURPOSE, subjectId, data, seconds: LINK_SECONDS, keepsOthers: true };
  const { token, expiresAt } = await tokens.issue(ctx, asked);
  const path = `/shop/download/${token}`;
  return { path, url: new URL(path, ctx.baseUrl).href, expiresAt };
}

const refused = (reason: 'TOKEN_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_USED' | 'NO_RELEASE', words: string) =>
  fail('NOT_FOUND', words, { details: { reason } });
const unknown = () => refused('TOKEN_INVALID', 'This download link is not valid');
const over = () => refused('TOKEN_EXPIRED', 'This download link has expired. Create a new one');
const used = () => refused('TOKEN_USED', 'This download link has already been used. Create a new one');

const unreleased = () => refused('NO_RELEASE', 'No release is available yet. Try again later');

/** How a link that does not open anything is refused. */
export const linkRefusals = { unknown, over, used, unreleased } as const;

/**
 * What a link is for. One that was used goes on for an hour, for the parts of a download that broke off.
 *
 * @throws AppError NOT_FOUND, reason TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_USED
 */
export async function recallLink(ctx: Ctx, token: string): Promise<tokens.KnownToken> {
  const found = await tokens.recall(ctx, PURPOSE, token);
  if (!found) throw unknown();
  const now = ctx.now();
  if (found.usedAt === null && found.expiresAt <= now) throw over();
  if (found.usedAt !== null && addSeconds(found.usedAt, RESUME_SECONDS) <= now) throw used();
  return found;
}

/**
 * Uses a link at the first byte that it sends (M27): whoever asks first with it has the use, and nobody else gets the
 * whole of the file. Parts of it are sent for an hour more.
 *
 * @param take counts the use; what it throws undoes all of it
 * @throws AppError as `recallLink`, and what `take` throws
 */
export const useLink = (
  ctx: Ctx,
  token: string,
  isWhole: boolean,
  take: (ctx: Ctx) => Promise<unknown>,
): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (await tokens.consume(ctx, PURPOSE, token)) {
      await take(ctx);
      return;
    }
    const { usedAt } = await recallLink(ctx, token);
    if (isWhole || usedAt === null) throw used();
  });
