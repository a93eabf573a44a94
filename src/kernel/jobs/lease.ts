import type { Job } from '../capability.ts';
import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { remember } from './history.ts';
import { perform } from './perform.ts';
import * as repo from './repository.ts';
import type { Run } from './run.ts';
import { type Timing, TOLERANCE_SECONDS } from './timing.ts';

/** M19 says 4; with the tick of a second that would leave a successor nothing of the 5 s that R18 allows it. */
const LEASE_SECONDS = 3.5;
const RENEW_MS = 1000;
const ANY_TIME = '9999-12-31T23:59:59.999Z';
/** No lease is held longer than this by a right clock. */
export const heldAtLatest = (now: string): string => addSeconds(now, LEASE_SECONDS + TOLERANCE_SECONDS);

/** Whether somebody holds a lease until that time. */
export const isHeld = (lockedUntil: string | null, now: string): boolean =>
  lockedUntil !== null && lockedUntil >= now && lockedUntil <= heldAtLatest(now);

/**
 * Takes the lease; `due` only when the job is still due and not paused, since another process may have run it or somebody
 * paused it meanwhile. One that is paused runs when it is asked for.
 */
export const lease = (
  ctx: Ctx,
  job: Job,
  { owner, timing }: { owner: string; timing: Timing },
  when: 'due' | 'now',
): Promise<number | null> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now();
    const schedule = await repo.findSchedule(ctx, job.name);
    const take = when === 'due' ? repo.takeDueLease : repo.takeLease;
    return take(ctx, {
      name: job.name,
      owner,
      now,
      until: addSeconds(now, LEASE_SECONDS),
      due_by: when === 'due' ? now : ANY_TIME,
      due_at_latest: timing.dueAtLatest(now, job, schedule),
      held_at_latest: heldAtLatest(now),
    });
  });

interface Held {
  owner: string;
  fence: number;
  timing: Timing;
  startedBy: string | null;
  onRun: (run: Run) => void;
}

/**
 * Runs a job whose lease was taken, keeps the lease while it runs, and notes the outcome.
 *
 * @param held owner and fence of the lease; who asked for the run; `onRun` is told of the outcome once it is noted
 */
export async function execute(
  ctx: Ctx,
  job: Job,
  { owner, fence, timing, startedBy, onRun }: Held,
): Promise<Run> {
  const held = { name: job.name, owner, fence };
  const renewal = setInterval(() => {
    ctx
      .tx((ctx) => repo.extendLease(ctx, { ...held, until: addSeconds(ctx.now(), LEASE_SECONDS) }))
      .catch((error: unknown) => ctx.log.warn({ err: error, job: job.name }, 'job lease was not renewed'));
  }, RENEW_MS);
  const run = await perform(ctx, job, startedBy).finally(() => clearInterval(renewal));
  // The next run is due from the end of this one (M19).
  const nextDue = await timing.next(ctx.now(), job, await repo.findSchedule(ctx, job.name));
  await ctx.tx(async (ctx) => {
    await repo.finish(ctx, { ...held, nextDue }, run);
    await remember(ctx, job, run);
  });
  onRun(run);
  return run;
}
