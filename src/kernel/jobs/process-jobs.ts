import type { Job } from '../capability.ts';
import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { isOn } from '../settings-reader.ts';
import { remember } from './history.ts';
import { perform } from './perform.ts';
import * as repo from './repository.ts';
import type { Run } from './run.ts';

/** Jobs that each process runs for itself, because what they write is in its own memory (`Job.everyProcess`). */
export interface ProcessJobs {
  /** Runs what is due on this process's own timer: an interval after the start, then an interval after each end. */
  runDue(ctx: Ctx): Promise<void>;
  /**
   * Runs one now, after a run of it that is under way: what was in memory at the call is written at the return.
   *
   * @param startedBy who asked for it; null when it was due
   */
  run(ctx: Ctx, job: Job, startedBy: string | null): Promise<Run>;
  /** Runs all of them now, for the last time. Failures are logged. */
  runAll(ctx: Ctx): Promise<void>;
}

/** @param onRun is told of every run */
export function createProcessJobs(jobs: readonly Job[], onRun: (run: Run) => void): ProcessJobs {
  const latest = new Map<string, Promise<unknown>>();
  const dueAt = new Map<string, string>();
  const once: ProcessJobs['run'] = async (ctx, job, startedBy) => {
    const run = await perform(ctx, job, startedBy);
    onRun(run);
    dueAt.set(job.name, addSeconds(run.endedAt, job.everySeconds));
    await note(ctx, job, run);
    return run;
  };
  const run: ProcessJobs['run'] = (ctx, job, startedBy) => {
    const next = (latest.get(job.name) ?? Promise.resolve()).then(() => once(ctx, job, startedBy));
    latest.set(
      job.name,
      next.catch(() => undefined),
    );
    return next;
  };
  return {
    run,
    async runDue(ctx) {
      for (const job of jobs) {
        if (!isDue(ctx.now(), job, dueAt) || !isOn(job, ctx)) continue;
        if (await repo.isEnabled(ctx, job.name))
          await run(ctx, { ...job, run: job.runPart ?? job.run }, null);
      }
    },
    async runAll(ctx) {
      for (const job of jobs) if (isOn(job, ctx)) await run(ctx, job, null);
    },
  };
}

/** One that is further away than its interval was put off by a clock that has been set back since (M20). */
function isDue(now: string, { name, everySeconds }: Job, dueAt: Map<string, string>): boolean {
  const due = dueAt.get(name);
  const latest = addSeconds(now, everySeconds);
  if (due === undefined) dueAt.set(name, latest);
  return due !== undefined && (due <= now || due > latest);
}

/** The outcome is for people who list the jobs; what the job wrote does not depend on it. */
async function note(ctx: Ctx, job: Job, run: Run): Promise<void> {
  try {
    await ctx.tx(async (ctx) => {
      await repo.note(ctx, job.name, addSeconds(run.endedAt, job.everySeconds), run);
      await remember(ctx, job, run);
    });
  } catch (error) {
    ctx.log.warn({ err: error, job: job.name }, 'the end of a job was not noted');
  }
}
