import type { Job } from '../capability.ts';
import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { isOn } from '../settings-reader.ts';
import { type AskedJobs, type Complete, createAskedJobs, noting } from './asked.ts';
import { type JobView, viewOf } from './job-view.ts';
import { createLanes } from './lanes.ts';
import { execute, heldAtLatest, lease } from './lease.ts';
import { createProcessJobs } from './process-jobs.ts';
import * as repo from './repository.ts';
import type { Run } from './run.ts';
import { createTiming, type Schedules, type Timing, TOLERANCE_SECONDS } from './timing.ts';

export type { JobView } from './job-view.ts';
export type { Run } from './run.ts';

const CLOCK_JUMP_MS = 600_000;
/** A job of minutes must not keep the others waiting; more of them would only take turns in the one writer of SQLite. */
const LANES = 3;

/**
 * Jobs of this program over the rows of `scheduled_jobs`: one runner each, in whatever process (M19), but for those
 * that every process runs for itself, without a lease.
 */
export interface Scheduler extends AskedJobs {
  readonly jobs: readonly Job[];
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
  list(ctx: Ctx): Promise<JobView[]>;
}

/** What a scheduler may be told beside its jobs. */
export interface SchedulerOptions {
  /** Told of every run, for metrics. */
  onRun?: (run: Run) => void;
  /** Zone of cron expressions (`jobs.timezone`); UTC when left out. */
  timeZone?: string;
  /** Cron expressions that the configuration gives. */
  schedules?: Schedules;
  /** What runs work with that somebody asked for; the ctx of whoever asks when left out. */
  root?: Ctx;
}

/** @param owner names this process in the lease */
export function createScheduler(
  jobs: readonly Job[],
  owner: string,
  { onRun = () => undefined, timeZone = 'UTC', schedules, root }: SchedulerOptions = {},
): Scheduler {
  const timing = createTiming(timeZone, schedules);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const own = createProcessJobs(
    jobs.filter((job) => job.everyProcess),
    onRun,
  );
  const lanes = createLanes(LANES);
  const complete: Complete = (ctx, job, fence, startedBy) =>
    execute(ctx, job, { owner, fence, timing, startedBy, onRun });
  const attempt = async (ctx: Ctx, job: Job): Promise<void> => {
    const fence = await lease(ctx, job, { owner, timing }, 'due');
    if (fence !== null) await complete(ctx, job, fence, null);
  };
  return {
    ...createAskedJobs({ byName, own, timing, owner, root, complete }),
    jobs,
    prepare: (ctx) => prepare(ctx, jobs, timing),
    async startDue(ctx, steppedMs) {
      await postponeAfter(ctx, jobs, steppedMs);
      const due = await awake(ctx, await listDue(ctx, byName, timing));
      return { ended: lanes.run(due.map((job) => () => noting(ctx, job, attempt(ctx, job)))) };
    },
    stop: () => lanes.stop(),
    runOwnDue: own.runDue,
    runOwn: own.runAll,
    list: (ctx) => listViews(ctx, byName, timing),
  };
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
async function prepare(ctx: Ctx, jobs: readonly Job[], timing: Timing): Promise<void> {
  const first = await Promise.all(
    jobs.map(async (job) => ({ name: job.name, due: await timing.first(ctx.now(), job) })),
  );
  await ctx.tx((ctx) => repo.ensure(ctx, first));
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
    return job ? [viewOf(ctx, row, job, timing)] : [];
  });
}
