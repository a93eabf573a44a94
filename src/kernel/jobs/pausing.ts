import type { Job } from '../capability.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { jobEvents } from './events.ts';
import { askedBy } from './history.ts';
import * as repo from './repository.ts';
import type { Timing } from './timing.ts';

/**
 * Lets a job be due no more; a run that is under way goes on to its end. Again is no error and changes nothing.
 *
 * @throws AppError CONFLICT for a job that must not be paused
 */
export async function pause(ctx: Ctx, job: Job): Promise<void> {
  if (job.everyProcess) throw neverPaused(job);
  await ctx.tx(async (ctx) => {
    if (await repo.pause(ctx, job.name, askedBy(ctx))) await tell(ctx, 'JOB_PAUSED', job, false);
  });
}

/**
 * Lets a paused job be due again: at the next time of its schedule, or at once where it was due meanwhile. Again is no
 * error and changes nothing.
 */
export const resume = (ctx: Ctx, job: Job, timing: Timing): Promise<void> =>
  ctx.tx(async (ctx) => {
    await repo.lockJob(ctx, job.name);
    const schedule = await repo.findSchedule(ctx, job.name);
    const isTimed = schedule !== null || timing.configured(job.name) !== undefined;
    const nextDue = isTimed ? await timing.next(ctx.now(), job, schedule) : undefined;
    if (await repo.resume(ctx, job.name, nextDue)) await tell(ctx, 'JOB_RESUMED', job, true);
  });

const tell = (ctx: Ctx, type: 'JOB_PAUSED' | 'JOB_RESUMED', { name }: Job, enabled: boolean): Promise<void> =>
  jobEvents.tell(ctx, type, name, {}, { before: { enabled: !enabled }, after: { enabled } });

/** What waits in the memory or on the disk of one server is bounded: it would be lost. Others judge what only it can. */
const neverPaused = ({ name }: Job): AppError =>
  new AppError('CONFLICT', 409, `${name} is run by each server for itself, and cannot be paused`, {
    details: {
      hint: 'appctl jobs list shows the jobs that can be paused',
    },
  });
