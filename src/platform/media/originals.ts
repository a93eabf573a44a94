import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import type { Media } from './record.ts';
import * as repo from './repository.ts';

/** Why nothing could be made of a picture whose file is not in a storage that answers. */
export const MISSING_ORIGINAL =
  'The original file is missing from the picture storage. Restore it from a backup, or upload the same file again';
/** As versions before said it. */
const SAID_BEFORE = 'The original of the picture is gone. Upload the same file again';
const MOST_OF_A_RUN = 1000;

/** Tries those again whose files were missing and are there again, as after a disk was mounted. */
export const originalsJob: Job = {
  name: 'media-originals',
  description: 'Tries pictures again whose original files were missing and have come back',
  everySeconds: 600,
  async run(ctx) {
    const tally = { found: 0, missing: 0 };
    for (const media of await repo.listFailed(ctx, [MISSING_ORIGINAL, SAID_BEFORE], MOST_OF_A_RUN)) {
      if (isStopping(ctx)) break;
      tally[(await isThere(ctx, media)) ? 'found' : 'missing'] += 1;
    }
    return tally;
  },
};

async function isThere(ctx: Ctx, { id, storageKey }: Media): Promise<boolean> {
  const object = await ctx.media.open(storageKey);
  if (object === null) return false;
  await object.close();
  await ctx.tx(async (ctx) => {
    const media = await repo.lock(ctx, { id });
    if (media?.status !== 'failed') return;
    await repo.update(ctx, { ...media, status: 'processing', failure: null, updatedAt: ctx.now() });
  });
  return true;
}
