import type { Job } from '../capability.ts';
import { addSeconds, sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { perform, type Run } from './perform.ts';
import { createProcessJobs } from './process-jobs.ts';
import * as repo from './repository.ts';

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

/** M19 says 4; with the tick of a second that would leave a successor nothing of the 5 s that R18 allows it. */
const LEASE_SECONDS = 3.5;
const RENEW_MS = 1000;
const POLL_MS = 100;
const CLOCK_JUMP_MS = 600_000;
const ANY_TIME = '9999-12-31T23:59:59.999Z';
/** Clocks of two processes may differ by this much before what one of them wrote is taken for a mistake. */
const TOLERANCE_SECONDS = 60;

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
   * Runs what is due, one after the other.
   *
   * @param steppedMs how far the wall clock jumped since the last call; beyond ten minutes ahead, jobs that end
   *   things by time wait one interval
   */
  runDue(ctx: Ctx, steppedMs: number): Promise<void>;
  /** Runs the jobs of this process itself that are due by its own timer. */
  runOwnDue(ctx: Ctx): Promise<void>;
  /** Runs all jobs of this process itself, at its end: nothing that waits in memory is lost. Never throws. */
  runOwn(ctx: Ctx): Promise<void>;
  /**
   * Runs a job now. If it is running elsewhere, waits for the end and runs once more, so that all that was due
   * at the call is done (cli.md section 3.9).
   *
   * @param name `-` and `_` are the same
   * @throws AppError NOT_FOUND; CONFLICT when it runs elsewhere and `wait` is false
   */
  run(ctx: Ctx, name: string, wait: boolean): Promise<Run>;
  /**
   * Starts a job now and does not wait for its end.
   *
   * @throws AppError NOT_FOUND; CONFLICT when it runs already
   */
  start(ctx: Ctx, name: string): Promise<void>;
  list(ctx: Ctx): Promise<JobView[]>;
}

/** @param owner names this process in the lease; @param onRun is told of every run, for metrics */
export function createScheduler(
  jobs: readonly Job[],
  owner: string,
  onRun: (run: Run) => void = () => undefined,
): Scheduler {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const own = createProcessJobs(
    jobs.filter((job) => job.everyProcess),
    onRun,
  );
  const complete = (ctx: Ctx, job: Job, fence: number): Promise<Run> =>
    execute(ctx, job, { owner, fence, onRun });
  const attempt = async (ctx: Ctx, job: Job, when: 'due' | 'now'): Promise<Run | null> => {
    const fence = await lease(ctx, job, owner, when);
    return fence === null ? null : complete(ctx, job, fence);
  };
  return {
    prepare: (ctx) => prepare(ctx, jobs),
    async runDue(ctx, steppedMs) {
      if (steppedMs > CLOCK_JUMP_MS) await postpone(ctx, jobs);
      for (const job of await listDue(ctx, byName)) {
        if (!job.everyProcess) await attempt(ctx, job, 'due');
      }
    },
    runOwnDue: own.runDue,
    runOwn: own.runAll,
    async run(ctx, asked, wait) {
      const job = await findJob(ctx, byName, asked);
      if (job.everyProcess) return own.run(ctx, job);
      for (;;) {
        const run = await attempt(ctx, job, 'now');
        if (run) return run;
        if (!wait) throw alreadyRuns(job.name);
        await sleep(POLL_MS);
      }
    },
    async start(ctx, asked) {
      const job = await findJob(ctx, byName, asked);
      const fence = job.everyProcess ? null : await lease(ctx, job, owner, 'now');
      if (fence === null && !job.everyProcess) throw alreadyRuns(job.name);
      const run = fence === null ? own.run(ctx, job) : complete(ctx, job, fence);
      run.catch((error: unknown) =>
        ctx.log.error({ err: error, job: job.name }, 'the end of a job was not noted'),
      );
    },
    list: async (ctx) =>
      (await repo.list(ctx)).filter((row) => byName.has(row.name)).map((row) => view(ctx, row, byName)),
  };
}

/** `-` and `_` are the same. The job's row is made when it is not there yet. */
async function findJob(ctx: Ctx, byName: ReadonlyMap<string, Job>, asked: string): Promise<Job> {
  const name = asked.replaceAll('_', '-');
  const job = byName.get(name);
  if (!job) throw unknownJob(asked, [...byName.keys()]);
  await ctx.tx((ctx) => repo.ensure(ctx, [name]));
  return job;
}

async function postpone(ctx: Ctx, jobs: readonly Job[]): Promise<void> {
  for (const { name, everySeconds } of jobs.filter((job) => job.waitsAfterClockStep)) {
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
    jobs.filter(({ name }) => missed.has(name)),
  );
}

/**
 * Jobs that are free and due, longest due first. The next run is an interval away at most: one that is further away
 * was put off by a clock that has been set back since, and the job would pause until that time comes again (M20).
 */
async function listDue(ctx: Ctx, byName: ReadonlyMap<string, Job>): Promise<Job[]> {
  const now = ctx.now();
  const free = await repo.listFree(ctx, { now, held_at_latest: heldAtLatest(now) });
  return free.flatMap(({ name, nextDue }) => {
    const job = byName.get(name);
    return job && (nextDue <= now || nextDue > dueAtLatest(now, job)) ? [job] : [];
  });
}

const dueAtLatest = (now: string, { everySeconds }: Job): string =>
  addSeconds(now, everySeconds + TOLERANCE_SECONDS);

const heldAtLatest = (now: string): string => addSeconds(now, LEASE_SECONDS + TOLERANCE_SECONDS);

/** Takes the lease; `due` only when the job is still due, since another process may have run it meanwhile. */
const lease = (ctx: Ctx, job: Job, owner: string, when: 'due' | 'now'): Promise<number | null> =>
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

async function execute(
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

function view(ctx: Ctx, row: repo.JobRow, byName: ReadonlyMap<string, Job>): JobView {
  const job = byName.get(row.name) as Job;
  return {
    name: row.name,
    schedule: `every ${job.everySeconds} s`,
    description: job.description,
    enabled: row.enabled,
    lastRunAt: row.lastRunAt,
    lastStatus: row.lastStatus,
    lastMs: row.lastMs,
    nextRunAt: row.nextDue,
    running: isHeld(row.lockedUntil, ctx.now()),
  };
}

const isHeld = (lockedUntil: string | null, now: string): boolean =>
  lockedUntil !== null && lockedUntil >= now && lockedUntil <= heldAtLatest(now);

const alreadyRuns = (name: string): AppError =>
  new AppError('CONFLICT', 409, `${name} is running already`, { details: { hint: 'add --wait' } });

const unknownJob = (name: string, known: string[]): AppError =>
  new AppError('NOT_FOUND', 404, `there is no job ${name}`, {
    details: { hint: `known jobs: ${known.join(', ')}` },
  });
