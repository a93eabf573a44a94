import { capability, type Job } from '#kernel/capability.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { oneTimeTokenRecord } from './record.ts';
import { removeEnded } from './repository.ts';

/** So long somebody may still be told when and from where a link was used. */
const KEPT_SECONDS = 30 * SECONDS_PER_DAY;
const ROWS_AT_ONCE = 500;
const ROWS_PER_RUN = 50_000;

async function purge(ctx: Ctx): Promise<{ tokens: number }> {
  const before = addSeconds(ctx.now(), -KEPT_SECONDS);
  let tokens = 0;
  while (tokens < ROWS_PER_RUN) {
    const removed = await ctx.tx((ctx) => removeEnded(ctx, before, ROWS_AT_ONCE));
    tokens += removed;
    if (removed < ROWS_AT_ONCE) break;
  }
  return { tokens };
}

const purgeTokens: Job = {
  name: 'purge-tokens',
  description: 'Removes one-time links that expired over 30 days ago',
  everySeconds: 86_400,
  waitsAfterClockStep: true,
  run: purge,
};

/** Links that open something once: the setup, a new password, an invitation. */
export const oneTimeTokens = capability({
  name: 'one-time-tokens',
  records: [oneTimeTokenRecord],
  jobs: [purgeTokens],
});
