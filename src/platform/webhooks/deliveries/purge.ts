import type { Job } from '#kernel/capability.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { deleteEnded } from './queries.ts';

/** Deliveries can be looked at and sent again for so long (M7). */
const KEPT_DAYS = 30;
/** A run ends after so many rows; the next one goes on (licensing 4.5). */
const ROWS_PER_RUN = 50_000;

async function purge(ctx: Ctx): Promise<{ deliveries: number }> {
  const before = addSeconds(ctx.now(), -KEPT_DAYS * SECONDS_PER_DAY);
  let deliveries = 0;
  while (deliveries < ROWS_PER_RUN) {
    const deleted = await ctx.tx((ctx) => deleteEnded(ctx, before));
    if (deleted === 0) break;
    deliveries += deleted;
  }
  return { deliveries };
}

/** Removes the log of what was delivered long ago. */
export const purgeLogs: Job = {
  name: 'purge-logs',
  description: `Removes webhook deliveries that finished over ${KEPT_DAYS} days ago, with their attempts`,
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: purge,
};
