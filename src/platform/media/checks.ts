import { type Check, type Finding, fail, ok, onSchema, storageFinding } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import * as repo from './repository.ts';

/** An empty folder in the place of a disk that was not mounted has none of them. */
const LOOKED_AT = 3;

async function checkStorage(ctx: Ctx): Promise<Finding> {
  await ctx.media.probe();
  const newest = await repo.listNewest(ctx, LOOKED_AT);
  const missing: string[] = [];
  for (const { fileName, storageKey } of newest) {
    const object = await ctx.media.open(storageKey);
    if (object === null) missing.push(fileName);
    await object?.close();
  }
  if (missing.length > 0)
    return fail(
      `the picture storage does not have the newest pictures: ${missing.join(', ')}`,
      'restore the folder of pictures from a backup, or mount its disk',
    );
  return ok(
    newest.length === 0 ? 'pictures can be stored' : 'pictures can be stored, and the newest are there',
  );
}

/** What `appctl doctor` asks about pictures (cli.md section 7). */
export const mediaChecks: readonly Check[] = [
  {
    id: 'media.storage',
    title: 'picture storage',
    asksOthers: true,
    run: onSchema((ctx) => checkStorage(ctx).catch(storageFinding)),
  },
];
