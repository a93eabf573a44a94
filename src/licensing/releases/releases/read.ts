import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { checkInput } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { missing } from './change.ts';
import * as queries from './queries.ts';
import type { Release } from './release.ts';
import * as repo from './repository.ts';
import { archField, platformField, versionField } from './schemas.ts';
import type { ReleaseStats } from './view.ts';

/** @throws AppError NOT_FOUND: unknown or of another tenant */
export const get = async (ctx: Ctx, id: string): Promise<Release> =>
  (await repo.find(ctx, id)) ?? missing(id);

/**
 * The release as a change finds it before it looks at bytes and signatures: what is stale is refused before that work.
 *
 * @param ifMatch `updatedAt` as the caller read it; undefined takes any
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED
 */
export async function getUnchanged(ctx: Ctx, id: string, ifMatch: string | undefined): Promise<Release> {
  const release = await get(ctx, id);
  requireUnchanged(id, release.updatedAt, ifMatch);
  return release;
}

const Named = later(() =>
  z.strictObject({
    product: text({ min: 1, max: 63 }),
    version: versionField(),
    platform: optional(platformField()),
    arch: optional(archField()),
  }),
);

/**
 * The release of a version; platform and arch are aliases or names, absent means those for any.
 *
 * @param named product by id or slug
 * @returns null when there is none
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for an unknown product
 */
export async function find(
  ctx: Ctx,
  named: { product: string; version: string; platform?: string | undefined; arch?: string | undefined },
): Promise<Release | null> {
  const { product, version, platform = '', arch = '' } = checkInput(Named, named);
  const { id } = await products.get(ctx, product);
  return repo.findVersion(ctx, { productId: id, version, platform, arch });
}

/**
 * What updates are chosen from and served: PUBLISHED and ARCHIVED releases of a product whose bytes are here,
 * scheduled ones among them (`publishedAt` in the future), in no order. The product decides the tenant (D100).
 */
export const servableReleases = (ctx: Ctx, productId: string): Promise<Release[]> =>
  queries.listServable(ctx, productId);

/** Checks, offers and downloads of one group. */
export interface ReleaseCounts {
  checks: number;
  offers: number;
  downloads: number;
}

/**
 * How often a release was looked for, offered and downloaded, by installed version and by day. The counts of the
 * last seconds may still be in the memory of a serving process.
 *
 * @param range days as `YYYY-MM-DD` in UTC, both included
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a range that ends before it begins
 */
export async function stats(
  ctx: Ctx,
  id: string,
  range: { from?: string | undefined; to?: string | undefined } = {},
): Promise<ReleaseStats> {
  if (range.from !== undefined && range.to !== undefined && range.to < range.from)
    throw fail('VALIDATION_ERROR', 'to must not be before from');
  const release = await get(ctx, id);
  const rows = await queries.statsOf(ctx, release.id, range);
  return {
    id: release.id,
    ...summed(rows),
    fromVersions: grouped(rows, ({ fromVersion }) => fromVersion)
      .map(([fromVersion, group]) => ({ fromVersion, ...summed(group) }))
      .sort((a, b) => b.downloads - a.downloads || b.checks - a.checks),
    days: grouped(rows, ({ day }) => day).map(([day, group]) => ({ day, ...summed(group) })),
  };
}

const grouped = (
  rows: readonly queries.StatsRow[],
  by: (row: queries.StatsRow) => string,
): [string, queries.StatsRow[]][] => [...Map.groupBy(rows, by)];

const summed = (rows: readonly ReleaseCounts[]): ReleaseCounts =>
  rows.reduce<ReleaseCounts>(
    (sum, row) => ({
      checks: sum.checks + row.checks,
      offers: sum.offers + row.offers,
      downloads: sum.downloads + row.downloads,
    }),
    { checks: 0, offers: 0, downloads: 0 },
  );
