import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { endsAt } from './lifetime.ts';
import { removeEnded } from './repository.ts';

const ROWS_AT_ONCE = 500;
/** A run ends after so many rows; the next one goes on. */
const ROWS_PER_RUN = 50_000;

async function purge(ctx: Ctx): Promise<{ sessions: number }> {
  const ends = endsAt(ctx);
  let sessions = 0;
  while (sessions < ROWS_PER_RUN) {
    const removed = await ctx.tx((ctx) => removeEnded(ctx, ends, ROWS_AT_ONCE));
    sessions += removed;
    if (removed < ROWS_AT_ONCE) break;
  }
  return { sessions };
}

/** Removes sessions that nobody can use any more. */
export const purgeSessions: Job = {
  name: 'purge-sessions',
  description: 'Removes expired browser sessions',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: purge,
};
