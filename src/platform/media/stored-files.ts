import { type CheckScope, type Finding, ok, storageFinding, warn } from '#kernel/check.ts';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import { isLocation, isPartLocation } from '#kernel/storage/location.ts';
import { variantKeys } from './files.ts';
import { rebuild } from './media.ts';
import * as repo from './repository.ts';

/** Names of pictures in a message; the rest is counted. */
const NAMED = 3;

/** The digest of the original that a file is, or was made from. */
const originalOf = (location: string): string | null => {
  if (isLocation(location)) return location.slice(3);
  return isPartLocation(location) ? location.slice(0, 64) : null;
};

/** Files of no picture. An upload keeps its file before its row, so that a fresh original is left alone. */
async function orphansOf(ctx: Ctx): Promise<string[]> {
  const known = new Set((await repo.listStored(ctx)).map(({ sha256 }) => sha256));
  const dayAgo = Date.parse(ctx.now()) - SECONDS_PER_DAY * 1000;
  const found: string[] = [];
  const settled = new Set<string>();
  for await (const location of ctx.media.list(dayAgo)) settled.add(location);
  for await (const location of ctx.media.all()) {
    const sha256 = originalOf(location);
    if (sha256 === null || known.has(sha256)) continue;
    if (isPartLocation(location) || settled.has(location)) found.push(location);
  }
  return found;
}

/** Looks for files of no picture. */
export const checkOrphans = (ctx: Ctx): Promise<Finding> => findOrphans(ctx).catch(storageFinding);

async function findOrphans(ctx: Ctx): Promise<Finding> {
  const orphans = await orphansOf(ctx);
  if (orphans.length === 0) return ok('every stored file belongs to a picture');
  return warn(
    `${counted(orphans.length, 'file')} of the picture storage without a picture: nothing shows them, and they take up room`,
    'appctl doctor media.orphans --fix',
  );
}

/** Each is asked about once more: a picture with these bytes may have been uploaded meanwhile. */
export async function removeOrphans({ opened }: CheckScope): Promise<void> {
  if (!opened?.current) return;
  const { ctx } = opened;
  for (const location of await orphansOf(ctx))
    if (!(await repo.findBySha(ctx, originalOf(location) ?? ''))) await ctx.media.remove(location);
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
