import { isAudited } from '../audit.ts';
import type { Job } from '../capability.ts';
import { sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { isOn } from '../settings-reader.ts';
import { jobEvents } from './events.ts';
import { askedBy } from './history.ts';
import { type JobView, viewOf } from './job-view.ts';
import { lease } from './lease.ts';
import { pause, resume } from './pausing.ts';
import type { ProcessJobs } from './process-jobs.ts';
import * as repo from './repository.ts';
import type { Run } from './run.ts';
import { reschedule, type Timing } from './timing.ts';

const POLL_MS = 100;

/** What people ask of jobs. */
export interface AskedJobs {
  /**
   * Runs a job now. If it is running elsewhere, waits for the end and runs once more, so that all that was due
   * at the call is done (cli.md section 3.9).
   *
   * @param name `-` and `_` are the same
   * @throws AppError NOT_FOUND; CONFLICT when it is switched off, or runs elsewhere and `wait` is false
   */
  run(ctx: Ctx, name: string, wait: boolean): Promise<Run>;
  /**
   * Starts a job now and does not wait for its end.
   *
   * @returns null when it has begun; the run itself where a process had nobody to leave it to
   * @throws AppError NOT_FOUND; CONFLICT when it is switched off or runs already
   */
  start(ctx: Ctx, name: string): Promise<Run | null>;
  /**
   * Lets a job be due no more; it still runs when it is asked for.
   *
   * @throws AppError NOT_FOUND; CONFLICT for a job that must not be paused
   */
  pause(ctx: Ctx, name: string): Promise<JobView>;
  /** Lets a paused job be due again. @throws AppError NOT_FOUND */
  resume(ctx: Ctx, name: string): Promise<JobView>;
  /**
   * Gives a job a cron expression of five fields, or its own interval again (null).
   *
   * @throws AppError NOT_FOUND; VALIDATION_ERROR for an expression that is wrong; CONFLICT for a job that takes none
   */
  reschedule(ctx: Ctx, name: string, expression: string | null): Promise<JobView>;
  /** One job. Its row is made when it is not there yet. @throws AppError NOT_FOUND with the names that there are */
  find(ctx: Ctx, name: string): Promise<JobView>;
  /** The job of a row; it must be one of `jobs`. */
  viewOf(ctx: Ctx, row: repo.JobRow): JobView;
}

/** Runs a job whose lease was taken. */
export type Complete = (ctx: Ctx, job: Job, fence: number, startedBy: string | null) => Promise<Run>;

interface Parts {
  readonly byName: ReadonlyMap<string, Job>;
  readonly own: ProcessJobs;
  readonly timing: Timing;
  readonly owner: string;
  /** What runs work with; the ctx of whoever asks when there is none. */
  readonly root: Ctx | undefined;
  readonly complete: Complete;
}

export function createAskedJobs({ byName, own, timing, owner, root, complete }: Parts): AskedJobs {
  /** Null while somebody else runs the job. */
  const begin = async (ctx: Ctx, job: Job): Promise<Begun | null> => {
    const within = root ?? ctx;
    const fence = job.everyProcess ? null : await lease(within, job, { owner, timing }, 'now');
    if (fence === null && !job.everyProcess) return null;
    await noteStart(ctx, job);
    const by = askedBy(ctx);
    return { run: fence === null ? own.run(within, job, by) : complete(within, job, fence, by) };
  };
  const find = (ctx: Ctx, asked: string): Promise<Job> => findJob(ctx, byName, asked);
  const show = async (ctx: Ctx, job: Job): Promise<JobView> =>
    viewOf(ctx, (await repo.find(ctx, job.name)) as repo.JobRow, job, timing);
  // One transaction with what it answers, which a rehearsal takes back.
  const changed =
    (change: (ctx: Ctx, job: Job) => Promise<unknown>) =>
    (ctx: Ctx, asked: string): Promise<JobView> =>
      ctx.tx(async (ctx) => {
        const job = await find(ctx, asked);
        await change(ctx, job);
        return show(ctx, job);
      });
  return {
    async run(ctx, asked, wait) {
      const job = requireOn(ctx, await find(ctx, asked));
      const { run } = await untilBegun(job.name, wait, () => begin(ctx, job));
      return run;
    },
    async start(ctx, asked) {
      const job = requireOn(ctx, await find(ctx, asked));
      const { run } = await untilBegun(job.name, false, () => begin(ctx, job));
      void noting(root ?? ctx, job, run);
      return null;
    },
    reschedule: (ctx, asked, expression) =>
      changed((ctx, job) => reschedule(ctx, job, expression, timing))(ctx, asked),
    pause: changed(pause),
    resume: changed((ctx, job) => resume(ctx, job, timing)),
    find: async (ctx, asked) => show(ctx, await find(ctx, asked)),
    viewOf: (ctx, row) => viewOf(ctx, row, byName.get(row.name) as Job, timing),
  };
}

/** Commands that only read have a server write its counters first: that is no start by a person. */
async function noteStart(ctx: Ctx, { name }: Job): Promise<void> {
  if (isAudited({}, ctx.actor)) await ctx.tx((ctx) => jobEvents.tell(ctx, 'JOB_STARTED', name, {}));
}

type Begun = { run: Promise<Run> };

/** Attempts until the lease is free; once only when it must not wait. */
async function untilBegun(name: string, wait: boolean, begin: () => Promise<Begun | null>): Promise<Begun> {
  for (;;) {
    const begun = await begin();
    if (begun) return begun;
    if (!wait) throw alreadyRuns(name);
    await sleep(POLL_MS);
  }
}

/** `-` and `_` are the same. The job's row is made when it is not there yet. */
async function findJob(ctx: Ctx, byName: ReadonlyMap<string, Job>, asked: string): Promise<Job> {
  const name = asked.replaceAll('_', '-');
  const job = byName.get(name);
  if (!job) throw unknownJob(asked, [...byName.keys()]);
  await ctx.tx((ctx) => repo.ensure(ctx, [{ name, due: ctx.now() }]));
  return job;
}

/** A failure of the job itself is part of its outcome; one here is of the database that keeps lease and outcome. */
export const noting = (ctx: Ctx, job: Job, run: Promise<unknown>): Promise<void> =>
  run.then(
    () => undefined,
    (error: unknown) =>
      ctx.log.error({ err: error, job: job.name }, 'the start or the end of a job was not noted'),
  );

/** @throws AppError CONFLICT for a job of what is switched off */
function requireOn(ctx: Ctx, job: Job): Job {
  if (isOn(job, ctx)) return job;
  const { key = '' } = job.enabledBy ?? {};
  throw new AppError('CONFLICT', 409, `${job.name} does not run while ${key} is off`, {
    details: { hint: `appctl settings set ${key} true` },
  });
}

const alreadyRuns = (name: string): AppError =>
  new AppError('CONFLICT', 409, `${name} is already running`, { details: { hint: 'add --wait' } });

const unknownJob = (name: string, known: string[]): AppError =>
  new AppError('NOT_FOUND', 404, `job ${name} was not found`, {
    details: { hint: `known jobs: ${known.join(', ')}` },
  });
