import { isAudited } from '../audit.ts';
import type { Job } from '../capability.ts';
import { addSeconds, sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { isOn } from '../settings-reader.ts';
import { jobEvents } from './events.ts';
import { createLanes } from './lanes.ts';
import { execute, heldAtLatest, isHeld, lease } from './lease.ts';
import type { Run } from './perform.ts';
import { createProcessJobs } from './process-jobs.ts';
import * as repo from './repository.ts';
import { createTiming, reschedule, type Timing, TOLERANCE_SECONDS } from './timing.ts';

export type { Run } from './perform.ts';

export interface JobView {
  name: string;
  schedule: string;
  description: string;
  enabled: boolean;
  lastRunAt: string | null;
  lastStatus: string | null;
  lastMs: number | null;
  nextRunAt: string;
  running: boolean;
}

const POLL_MS = 100;
const CLOCK_JUMP_MS = 600_000;
/** A job of minutes must not keep the others waiting; more of them would only take turns in the one writer of SQLite. */
const LANES = 3;

/**
 * Jobs of this program over the rows of `scheduled_jobs`: one runner each, in whatever process (M19), but for those
 * that every process runs for itself, without a lease.
 */
export interface Scheduler {
  /**
   * Makes missing rows; before the first tick. After a time in which no server ran, jobs that end things by time wait
   * one interval: while nothing answered, no machine could say that it lives.
   */
  prepare(ctx: Ctx): Promise<void>;
  /**
   * Starts what is due, as far as lanes are free; asked again each second, it starts the rest beside what still runs.
   *
   * @param steppedMs how far the wall clock jumped since the last call; beyond ten minutes ahead, jobs that end
   *   things by time wait one interval
   * @returns `ended` resolves when all that this call started has ended; it never rejects
   */
  startDue(ctx: Ctx, steppedMs: number): Promise<{ ended: Promise<void> }>;
  /** Starts nothing more of what is due, and waits for what runs of it. */
  stop(): Promise<void>;
  /** Runs the jobs of this process itself that are due by its own timer. */
  runOwnDue(ctx: Ctx): Promise<void>;
  /** Runs all jobs of this process itself, at its end: nothing that waits in memory is lost. Never throws. */
  runOwn(ctx: Ctx): Promise<void>;
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
   * @throws AppError NOT_FOUND; CONFLICT when it is switched off or runs already
   */
  start(ctx: Ctx, name: string): Promise<void>;
  /**
   * Gives a job a cron expression of five fields, or its own interval again (null).
   *
   * @throws AppError NOT_FOUND; VALIDATION_ERROR for an expression that is wrong; CONFLICT for a job that takes none
   */
  reschedule(ctx: Ctx, name: string, expression: string | null): Promise<JobView>;
  list(ctx: Ctx): Promise<JobView[]>;
}

/** What a scheduler may be told beside its jobs. */
export interface SchedulerOptions {
  /** Told of every run, for metrics. */
  onRun?: (run: Run) => void;
  /** Zone of cron expressions (`jobs.timezone`); UTC when left out. */
  timeZone?: string;
}

/** @param owner names this process in the lease */
export function createScheduler(
  jobs: readonly Job[],
  owner: string,
  { onRun = () => undefined, timeZone = 'UTC' }: SchedulerOptions = {},
): Scheduler {
  const timing = createTiming(timeZone);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const own = createProcessJobs(
    jobs.filter((job) => job.everyProcess),
    onRun,
  );
  const lanes = createLanes(LANES);
  const complete = (ctx: Ctx, job: Job, fence: number): Promise<Run> =>
    execute(ctx, job, { owner, fence, timing, onRun });
  const attempt = async (ctx: Ctx, job: Job, when: 'due' | 'now'): Promise<Run | null> => {
    const fence = await lease(ctx, job, { owner, timing }, when);
    return fence === null ? null : complete(ctx, job, fence);
  };
  return {
    prepare: (ctx) => prepare(ctx, jobs),
    async startDue(ctx, steppedMs) {
      await postponeAfter(ctx, jobs, steppedMs);
      const due = await awake(ctx, await listDue(ctx, byName, timing));
      return { ended: lanes.run(due.map((job) => () => noting(ctx, job, attempt(ctx, job, 'due')))) };
    },
    stop: () => lanes.stop(),
    runOwnDue: own.runDue,
    runOwn: own.runAll,
    async run(ctx, asked, wait) {
      const job = requireOn(ctx, await findJob(ctx, byName, asked));
      await noteStart(ctx, job);
      if (job.everyProcess) return own.run(ctx, job);
      return untilRun(job.name, wait, () => attempt(ctx, job, 'now'));
    },
    async start(ctx, asked) {
      const job = requireOn(ctx, await findJob(ctx, byName, asked));
      const fence = job.everyProcess ? null : await lease(ctx, job, { owner, timing }, 'now');
      if (fence === null && !job.everyProcess) throw alreadyRuns(job.name);
      await noteStart(ctx, job);
      const run = fence === null ? own.run(ctx, job) : complete(ctx, job, fence);
      void noting(ctx, job, run);
    },
    reschedule: async (ctx, asked, expression) => {
      const job = await findJob(ctx, byName, asked);
      await reschedule(ctx, job, expression, timing);
      return viewOf(ctx, job, timing);
    },
    list: (ctx) => listViews(ctx, byName, timing),
  };
}

/** Commands that only read have a server write its counters first: that is no start by a person. */
async function noteStart(ctx: Ctx, { name }: Job): Promise<void> {
  if (isAudited({}, ctx.actor)) await ctx.tx((ctx) => jobEvents.tell(ctx, 'JOB_STARTED', name, {}));
}

/** Attempts until the lease is free; once only when it must not wait. */
async function untilRun(name: string, wait: boolean, attempt: () => Promise<Run | null>): Promise<Run> {
  for (;;) {
    const run = await attempt();
    if (run) return run;
    if (!wait) throw alreadyRuns(name);
    await sleep(POLL_MS);
  }
}

/** `-` and `_` are the same. The job's row is made when it is not there yet. */
async function findJob(ctx: Ctx, byName: ReadonlyMap<string, Job>, asked: string): Promise<Job> {
  const name = asked.replaceAll('_', '-');
  const job = byName.get(name);
  if (!job) throw unknownJob(asked, [...byName.keys()]);
  await ctx.tx((ctx) => repo.ensure(ctx, [name]));
  return job;
}

/** What ends things by time waits one interval after a jump ahead. */
async function postponeAfter(ctx: Ctx, jobs: readonly Job[], steppedMs: number): Promise<void> {
  if (steppedMs > CLOCK_JUMP_MS)
    await postpone(
      ctx,
      jobs.filter((job) => job.waitsAfterClockStep),
    );
}

/** Those that are switched on; the others wait one interval and are asked again. */
async function awake(ctx: Ctx, due: readonly Job[]): Promise<Job[]> {
  const on = due.filter((job) => isOn(job, ctx));
  await postpone(
    ctx,
    due.filter((job) => !on.includes(job)),
  );
  return on;
}

/** Puts jobs off by an interval: what ends things by time after a step of the clock, and what is switched off. */
async function postpone(ctx: Ctx, jobs: readonly Job[]): Promise<void> {
  for (const { name, everySeconds } of jobs) {
    await ctx.tx((ctx) => repo.postpone(ctx, name, addSeconds(ctx.now(), everySeconds)));
  }
}

/** A job that is overdue although each server asks every second: there was none. */
async function prepare(ctx: Ctx, jobs: readonly Job[]): Promise<void> {
  await ctx.tx((ctx) =>
    repo.ensure(
      ctx,
      jobs.map(({ name }) => name),
    ),
  );
  const latest = addSeconds(ctx.now(), -TOLERANCE_SECONDS);
  const rows = await repo.list(ctx);
  const missed = new Set(rows.filter((row) => row.lastRunAt && row.nextDue < latest).map((row) => row.name));
  await postpone(
    ctx,
    jobs.filter(({ name, waitsAfterClockStep }) => waitsAfterClockStep && missed.has(name)),
  );
}

/**
 * Jobs of the lease that are free and due, longest due first. The next run is an interval away at most: one that is further away
 * was put off by a clock that has been set back since, and the job would pause until that time comes again (M20).
 */
async function listDue(ctx: Ctx, byName: ReadonlyMap<string, Job>, timing: Timing): Promise<Job[]> {
  const now = ctx.now();
  const free = await repo.listFree(ctx, { now, held_at_latest: heldAtLatest(now) });
  await timing.settle(ctx, free, byName);
  return free.flatMap(({ name, nextDue, schedule }) => {
    const job = byName.get(name);
    return job && !job.everyProcess && (nextDue <= now || nextDue > timing.dueAtLatest(now, job, schedule))
      ? [job]
      : [];
  });
}

async function listViews(ctx: Ctx, byName: ReadonlyMap<string, Job>, timing: Timing): Promise<JobView[]> {
  const rows = await repo.list(ctx);
  return rows.flatMap((row) => {
    const job = byName.get(row.name);
    return job ? [view(ctx, row, job, timing)] : [];
  });
}

async function viewOf(ctx: Ctx, job: Job, timing: Timing): Promise<JobView> {
  const row = (await repo.list(ctx)).find(({ name }) => name === job.name);
  return view(ctx, row as repo.JobRow, job, timing);
}

function view(ctx: Ctx, row: repo.JobRow, job: Job, { timeZone }: Timing): JobView {
  return {
    name: row.name,
    schedule: row.schedule === null ? `every ${job.everySeconds} s` : `${row.schedule} (${timeZone})`,
    description: job.description,
    enabled: row.enabled,
    lastRunAt: row.lastRunAt,
    lastStatus: row.lastStatus,
    lastMs: row.lastMs,
    nextRunAt: row.nextDue,
    running: isHeld(row.lockedUntil, ctx.now()),
  };
}

/** A failure of the job itself is part of its outcome; one here is of the database that keeps lease and outcome. */
const noting = (ctx: Ctx, job: Job, run: Promise<unknown>): Promise<void> =>
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
  new AppError('CONFLICT', 409, `${name} is running already`, { details: { hint: 'add --wait' } });

const unknownJob = (name: string, known: string[]): AppError =>
  new AppError('NOT_FOUND', 404, `there is no job ${name}`, {
    details: { hint: `known jobs: ${known.join(', ')}` },
  });
