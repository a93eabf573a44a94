import type { Job } from '../capability.ts';
import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { perform, type Run } from './perform.ts';
import * as repo from './repository.ts';

/** M19 says 4; with the tick of a second that would leave a successor nothing of the 5 s that R18 allows it. */
const LEASE_SECONDS = 3.5;
const RENEW_MS = 1000;
const ANY_TIME = '9999-12-31T23:59:59.999Z';
/** Clocks of two processes may differ by this much before what one of them wrote is taken for a mistake. */
export const TOLERANCE_SECONDS = 60;

/** No job is due later than this by a right clock. */
export const dueAtLatest = (now: string, { everySeconds }: Job): string =>
  addSeconds(now, everySeconds + TOLERANCE_SECONDS);

/** No lease is held longer than this by a right clock. */
export const heldAtLatest = (now: string): string => addSeconds(now, LEASE_SECONDS + TOLERANCE_SECONDS);

/** Whether somebody holds a lease until that time. */
export const isHeld = (lockedUntil: string | null, now: string): boolean =>
  lockedUntil !== null && lockedUntil >= now && lockedUntil <= heldAtLatest(now);

/** Takes the lease; `due` only when the job is still due, since another process may have run it meanwhile. */
export const lease = (ctx: Ctx, job: Job, owner: string, when: 'due' | 'now'): Promise<number | null> =>
  ctx.tx((ctx) => {
    const now = ctx.now();
    return repo.takeLease(ctx, {
      name: job.name,
      owner,
      now,
      until: addSeconds(now, LEASE_SECONDS),
      due_by: when === 'due' ? now : ANY_TIME,
      due_at_latest: dueAtLatest(now, job),
      held_at_latest: heldAtLatest(now),
    });
  });

/**
 * Runs a job whose lease was taken, keeps the lease while it runs, and notes the outcome.
 *
 * @param held owner and fence of the lease; `onRun` is told of the outcome once it is noted
 */
export async function execute(
  ctx: Ctx,
  job: Job,
  { owner, fence, onRun }: { owner: string; fence: number; onRun: (run: Run) => void },
): Promise<Run> {
  const held = { name: job.name, owner, fence };
  const renewal = setInterval(() => {
    ctx
      .tx((ctx) => repo.extendLease(ctx, { ...held, until: addSeconds(ctx.now(), LEASE_SECONDS) }))
      .catch((error: unknown) => ctx.log.warn({ err: error, job: job.name }, 'job lease was not renewed'));
  }, RENEW_MS);
  const run = await perform(ctx, job).finally(() => clearInterval(renewal));
  // The next run is due from the end of this one (M19).
  const nextDue = addSeconds(ctx.now(), job.everySeconds);
  await ctx.tx((ctx) => repo.finish(ctx, { ...held, nextDue }, run));
  onRun(run);
  return run;
}
