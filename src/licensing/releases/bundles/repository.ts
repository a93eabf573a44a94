import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { raiseReleases } from '#licensing/catalog/products/index.ts';

const TABLE = 'license_bundles';

/** What is known of received bytes. */
export interface BundleRow {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size: number;
  /** Base64; empty for a file that no upload is known of. */
  readonly sha512: string;
  readonly location: string;
}

/**
 * Makes or touches the row of bytes that are about to be put into their place. Releases that wait for them since an
 * import are not offered before they are there.
 *
 * @param lost claims from before this time belong to a process that died
 * @returns false when somebody is deleting these very bytes
 */
export async function touch(ctx: Ctx, bundle: BundleRow, lost: string): Promise<boolean> {
  const now = ctx.now();
  const { knex } = ctx.db;
  const awaited = releasesOf(knex).whereIn('r.state', SERVED);
  const removedAt = knex.raw('CASE WHEN EXISTS ? THEN ?? END', [awaited, `${TABLE}.removed_at`]);
  const written = await knex(TABLE)
    .insert({ ...bundle, touched_at: now, removed_at: null, claimed_at: null, created_at: now })
    .onConflict('sha256')
    .merge({ ...bundle, touched_at: now, removed_at: removedAt, claimed_at: null })
    .where((free) => free.whereNull(`${TABLE}.claimed_at`).orWhere(`${TABLE}.claimed_at`, '<', lost))
    .returning('sha256');
  return written.length === 1;
}

/**
 * Touches the row of bytes that are in their place, for a release that is about to name it. Whoever remembers releases
 * that waited for them is told.
 *
 * @returns false when the bytes went since they were put there
 */
export async function touchPresent(ctx: Ctx, sha256: string): Promise<boolean> {
  const { knex } = ctx.db;
  const row = await knex(TABLE).where({ sha256 }).forUpdate().first('removed_at', 'claimed_at');
  if (row === undefined || row.claimed_at !== null) return false;
  if (row.removed_at !== null) {
    const awaiting: string[] = await releasesWith(knex, sha256)
      .whereIn('state', SERVED)
      .distinct('product_id')
      .pluck('product_id');
    // What no release is served with was deleted: nobody awaits it.
    if (awaiting.length === 0) return false;
    await raiseReleases(ctx, awaiting);
  }
  await knex(TABLE).where({ sha256 }).update({ touched_at: ctx.now(), removed_at: null });
  return true;
}

/**
 * Notes the content of a bundle whose bytes did not come with its release: the release can be read, and is not offered
 * until the same bytes are uploaded. Nothing changes for a content that is known here.
 *
 * @param now ISO 8601 UTC
 */
export async function awaitBundle(
  ctx: Ctx,
  bundle: { sha256: string; sha512: string; size: number },
  now: string,
): Promise<void> {
  const location = locationOf(bundle.sha256);
  await ctx.db
    .knex(TABLE)
    .insert({ ...bundle, location, touched_at: now, removed_at: now, created_at: now })
    .onConflict('sha256')
    .ignore();
}

/** Locks the row until the end of the transaction; false when the bytes are gone or going. */
export async function lockPresent(ctx: Ctx, sha256: string): Promise<boolean> {
  const row = await ctx.db.knex(TABLE).where({ sha256 }).forUpdate().first('removed_at', 'claimed_at');
  return row !== undefined && row.removed_at === null && row.claimed_at === null;
}

/**
 * Claims the deletion of bytes that no customer may still be served, in a transaction.
 *
 * @returns the time of the claim; `taken`: somebody deletes them; null: nothing known of them, or a release serves them
 */
export async function claimWithdrawn(
  ctx: Ctx,
  sha256: string,
  lost: string,
): Promise<{ claimedAt: string } | 'taken' | null> {
  const row = await ctx.db.knex(TABLE).where({ sha256 }).forUpdate().first('claimed_at');
  if (row === undefined) return null;
  if (row.claimed_at !== null && row.claimed_at >= lost) return 'taken';
  const [served] = await releasesWith(ctx.db.knex, sha256).whereIn('state', SERVED).limit(1).select('id');
  if (served !== undefined) return null;
  const now = ctx.now();
  await ctx.db.knex(TABLE).where({ sha256 }).update({ removed_at: now, claimed_at: now });
  return { claimedAt: now };
}

/** Says that the bytes are gone; the row goes with them unless a release still names it. */
export async function settle(ctx: Ctx, sha256: string, claimedAt: string): Promise<void> {
  const { knex } = ctx.db;
  const mine = { sha256, claimed_at: claimedAt };
  const deleted = await knex(TABLE).where(mine).whereNotExists(releasesOf(knex)).delete();
  if (deleted === 0) await knex(TABLE).where(mine).update({ claimed_at: null });
}

/** Marks rows that no release names and nobody has touched since `before`; answers how many. */
export const markUnused = (ctx: Ctx, before: string): Promise<number> =>
  ctx.db
    .knex(TABLE)
    .whereNull('removed_at')
    .where('touched_at', '<', before)
    .whereNotExists(releasesOf(ctx.db.knex))
    .update({ removed_at: ctx.now() });

/** Digests of bytes that are due: long marked and still unused, or claimed by a process that died. */
export async function listDue(ctx: Ctx, marked: string, lost: string, limit: number): Promise<string[]> {
  const rows = await due(ctx.db.knex, marked, lost).orderBy('sha256').limit(limit).select('sha256');
  return rows.map((row: { sha256: string }) => row.sha256);
}

/** Claims one of them; null when it is not due any more. */
export async function claimDue(
  ctx: Ctx,
  sha256: string,
  marked: string,
  lost: string,
): Promise<string | null> {
  const now = ctx.now();
  const claimed = await due(ctx.db.knex, marked, lost).where({ sha256 }).update({ claimed_at: now });
  return claimed === 1 ? now : null;
}

/** Claims a file that has no row, by making one; null when there is one. */
export async function claimUnknown(ctx: Ctx, sha256: string, location: string): Promise<string | null> {
  const now = ctx.now();
  const made = await ctx.db
    .knex(TABLE)
    .insert({
      ...{ sha256, location, size: 0, sha512: '' },
      ...{ touched_at: now, removed_at: now, claimed_at: now, created_at: now },
    })
    .onConflict('sha256')
    .ignore()
    .returning('sha256');
  return made.length === 1 ? now : null;
}

/** Those of the digests that have a row. */
export async function known(ctx: Ctx, digests: readonly string[]): Promise<Set<string>> {
  const rows: { sha256: string }[] = await ctx.db.knex(TABLE).whereIn('sha256', digests).select('sha256');
  return new Set(rows.map(({ sha256 }) => sha256));
}

const SERVED = ['PUBLISHED', 'ARCHIVED'];

const due = (knex: Knex, marked: string, lost: string): Knex.QueryBuilder =>
  knex(TABLE).where((either) =>
    either
      .where((unused) =>
        unused.where('removed_at', '<', marked).whereNull('claimed_at').whereNotExists(releasesOf(knex)),
      )
      .orWhere((left) =>
        left.where('claimed_at', '<', lost).whereNotExists(releasesOf(knex).whereIn('r.state', SERVED)),
      ),
  );

const releasesWith = (knex: Knex, sha256: string): Knex.QueryBuilder =>
  knex('license_releases').where({ bundle_sha256: sha256 });

const releasesOf = (knex: Knex): Knex.QueryBuilder =>
  knex('license_releases as r').whereRaw('r.bundle_sha256 = license_bundles.sha256').select('r.id');
