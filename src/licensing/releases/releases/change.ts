import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { raiseReleases } from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type ReleaseEventName, type ReleaseFacts, releaseEvents } from './events.ts';
import { nameOf, refuse } from './refusal.ts';
import type { Release } from './release.ts';
import * as repo from './repository.ts';

/** What a caller may add to any change. */
export interface ChangeOptions {
  /** `updatedAt` as the caller read it; undefined changes it in any case. */
  ifMatch?: string | undefined;
  /** Why, for the timeline. */
  note?: string | undefined;
}

/** What becomes of a release, and what the timeline calls it. */
export interface Change {
  readonly type: ReleaseEventName;
  readonly after: Release;
  readonly data?: ReleaseFacts;
  /** Something beside the row changed: it is told though the row is as it was. */
  readonly always?: true;
}

/**
 * Changes a release with its product locked, so that changes of the releases and keys of one product happen one after
 * the other (licensing 5.4). A change to nothing writes nothing. Everything that an update check could see raises the
 * product's releases_version in the same transaction.
 *
 * @param decide is given the release as it is under the lock; null changes nothing
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED; CONFLICT for a version or sequence that another release has
 */
export async function changeRelease(
  ctx: Ctx,
  id: string,
  options: ChangeOptions,
  decide: (ctx: Ctx, before: Release, product: repo.OwnerRow) => Promise<Change | null>,
): Promise<Release> {
  return ctx.tx(async (ctx) => {
    const { before, product } = await lockRelease(ctx, id);
    requireUnchanged(id, before.updatedAt, options.ifMatch);
    const change = await decide(ctx, before, product);
    if (change === null) return before;
    const diff = changesBetween(before, change.after);
    if (Object.keys(diff).length === 0 && !change.always) return before;
    const after = { ...change.after, updatedAt: ctx.now() };
    await storing(after, repo.update(ctx, after));
    await announceChange(ctx, { ...change, after }, { before, after }, options.note);
    return after;
  });
}

/**
 * The release with its product locked.
 *
 * @throws AppError NOT_FOUND
 */
export async function lockRelease(
  ctx: Ctx,
  id: string,
): Promise<{ before: Release; product: repo.OwnerRow }> {
  const seen = (await repo.find(ctx, id)) ?? missing(id);
  const product = await repo.lockProduct(ctx, seen.productId);
  // What was read before the lock may be old (C3).
  const before = product && (await repo.find(ctx, id));
  return before ? { before, product } : missing(id);
}

/** Writes the event of a change, and tells who remembers the releases of the product. */
export async function announceChange(
  ctx: Ctx,
  { type, after: release, data }: Change,
  { before, after }: { readonly before?: Release; readonly after?: Release },
  note?: string | undefined,
): Promise<void> {
  const { productId, productSlug, version, channel, platform, arch, state } = release;
  if (state !== 'DRAFT') await raiseReleases(ctx, [productId]);
  const named = { productId, product: productSlug, version, channel, platform, arch, state };
  const told = { ...named, ...data, ...(note !== undefined && { note }) };
  await releaseEvents.tell(ctx, type, release.id, told, {
    before: shownOf(before),
    after: shownOf(after),
    note,
  });
}

/** The audit log tells that the signed texts changed by their sequence and end; the texts would be noise. */
const UNTOLD = ['statement', 'statementSignature', 'extraSignatures', 'formerSequences'];

const shownOf = (release: Release | undefined): object | undefined =>
  release && Object.fromEntries(Object.entries(release).filter(([field]) => !UNTOLD.includes(field)));

/** The indexes decide whether a version and a sequence are free, so that two at once cannot both find them so. */
export async function storing(release: Release, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('NOT_FOUND', 'the product was deleted in the meantime');
    if (!isUniqueViolation(error)) throw error;
    // Postgres names the index that stands behind the violation, SQLite its columns.
    if (/license_releases[._]sequence/.test((error as Error).message)) throw takenSequence(release);
    throw refuse('VERSION_EXISTS', `there is a release ${nameOf(release)} already`, {
      hint: `appctl release list --product ${release.productSlug}`,
    });
  }
}

const takenSequence = (release: Release) =>
  refuse(
    'SEQUENCE_NOT_RISING',
    `another release on channel ${release.channel} has sequence ${release.sequence}; sign with a higher --sequence`,
    { sequence: release.sequence },
  );

/** @throws AppError NOT_FOUND */
export function missing(id: string): never {
  throw fail('NOT_FOUND', `release ${id} was not found`, { details: { hint: 'appctl release list' } });
}
