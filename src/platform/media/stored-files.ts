import { type CheckScope, type Finding, type NamedFiles, ok, storageFinding, warn } from '#kernel/check.ts';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { isLocation } from '#kernel/storage/location.ts';
import { variantKeys } from './files.ts';
import { rebuild } from './media.ts';
import * as repo from './repository.ts';

/** Names of pictures in a message; the rest is counted. */
const NAMED = 3;

/** The digest of the original that a file is, or was made from. */
const originalOf = (location: string): string =>
  isLocation(location) ? location.slice(3) : location.slice(0, 64);

/** What is sent keeps its file before its row, so that a fresh one is left alone. */
const dayBefore = (ctx: Ctx): number => Date.parse(ctx.now()) - SECONDS_PER_DAY * 1000;

/**
 * Files of no picture, and of nothing else: the same storage has files that are sold, photos of customers, and labels.
 */
async function orphansOf(ctx: Ctx, named: NamedFiles): Promise<string[]> {
  const found = new Set<string>();
  for await (const location of ctx.media.all(dayBefore(ctx))) found.add(location);
  // Rows last: one that came meanwhile has its file among those that were found.
  const known = new Set((await repo.listStored(ctx)).map(({ sha256 }) => sha256));
  for await (const { storage, location } of named.all(ctx)) if (storage === 'media') found.delete(location);
  return [...found].filter((location) => !known.has(originalOf(location)));
}

/** Looks for files of no picture. */
export const checkOrphans = (ctx: Ctx, named: NamedFiles): Promise<Finding> =>
  findOrphans(ctx, named).catch(storageFinding);

async function findOrphans(ctx: Ctx, named: NamedFiles): Promise<Finding> {
  const orphans = await orphansOf(ctx, named);
  if (orphans.length === 0) return ok('every stored file is in use');
  return warn(
    `${counted(orphans.length, 'file')} in the picture storage that nothing uses: they only take up room`,
    'appctl doctor media.orphans --fix',
  );
}

/** Each is asked about once more, its age last: the same bytes may have been sent meanwhile, and have no row yet. */
export async function removeOrphans({ opened, namedFiles }: CheckScope): Promise<void> {
  if (!opened?.current) return;
  const { ctx } = opened;
  for (const location of await orphansOf(ctx, namedFiles)) {
    const isWanted =
      (await repo.findBySha(ctx, originalOf(location))) !== null ||
      (await namedFiles.has(ctx, { storage: 'media', location }));
    if (!isWanted) await ctx.media.remove(location, dayBefore(ctx));
  }
}

/** Pictures that are shown, and of which a size is not stored although its original is. */
async function incompleteOf(ctx: Ctx): Promise<repo.StoredMedia[]> {
  const stored = new Set<string>();
  for await (const location of ctx.media.all()) stored.add(location);
  return (await repo.listStored(ctx)).filter(
    (media) =>
      media.status === 'ready' &&
      stored.has(media.storageKey) &&
      (media.variants === null || variantKeys(media).some((key) => !stored.has(key))),
  );
}

/** Looks for pictures without one of their sizes. */
export const checkVariants = (ctx: Ctx): Promise<Finding> => findIncomplete(ctx).catch(storageFinding);

async function findIncomplete(ctx: Ctx): Promise<Finding> {
  const incomplete = await incompleteOf(ctx);
  if (incomplete.length === 0) return ok('every picture has its sizes');
  const names = incomplete.slice(0, NAMED).map(({ fileName }) => fileName);
  const more = incomplete.length > NAMED ? ` and ${incomplete.length - NAMED} more` : '';
  return warn(
    `sizes are missing, so that pages show nothing in their place: ${names.join(', ')}${more}`,
    'appctl doctor media.missing-variants --fix',
  );
}

/** Has them made again: the job `media-variants` does, within a minute of a running server. */
export async function remake({ opened }: CheckScope): Promise<void> {
  if (!opened?.current) return;
  for (const { id } of await incompleteOf(opened.ctx)) await rebuild(opened.ctx, id);
}
