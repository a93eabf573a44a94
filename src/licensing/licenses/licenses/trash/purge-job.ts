import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { startLeftovers } from '#kernel/jobs/leftovers.ts';
import { trashDays } from '#licensing/contract/settings.ts';
import * as repo from './repository.ts';
import { purgeLocked } from './trash.ts';

const MAX_ROWS = 5000;

/**
 * Deletes for good what has been in the trash for `licensing.trash_days` (D42). Candidates are read without locks;
 * each is deleted in its own transaction, and only if it is still there (C12).
 *
 * @returns `purged`: licenses that are gone
 * @throws PartlyDone when licenses failed, after all others were handled
 */
export async function purgeTrash(ctx: Ctx): Promise<{ purged: number }> {
  const before = addSeconds(ctx.now(), -ctx.settings.get(trashDays) * SECONDS_PER_DAY);
  const due = await repo.listDue(ctx, before, MAX_ROWS);
  const leftovers = startLeftovers(ctx, { job: 'trash-purge', what: 'license' });
  let purged = 0;
  for (const { id, tenantId } of due) {
    await leftovers.attempt(id, async () => {
      const gone = await ctx.with({ tenantId }).tx((ctx) => purgeLocked(ctx, id, before));
      if (gone) purged += 1;
    });
  }
  return leftovers.settle({ purged });
}
