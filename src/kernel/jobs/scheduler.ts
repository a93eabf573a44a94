import type { Job } from '../capability.ts';
import { addSeconds, sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import * as repo from './repository.ts';

export interface Run {
  name: string;
  startedAt: string;
  endedAt: string;
  ms: number;
  status: 'ok' | 'failed';
  result: Record<string, number> | null;
  error?: string;
}

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

const LEASE_SECONDS = 4;
const RENEW_MS = 1000;
const POLL_MS = 100;
const CLOCK_JUMP_MS = 600_000;
const ANY_TIME = '9999-12-31T23:59:59.999Z';

/** Jobs of this program over the rows of `scheduled_jobs`: one runner each, in whatever process (M19). */
export interface Scheduler {
  /** Makes missing rows; before the first tick. */
  prepare(ctx: Ctx): Promise<void>;
  /**
   * Runs what is due, one after the other.
   *
   * @param steppedMs how far the wall clock jumped since the last call; beyond ten minutes ahead, jobs that end
   *   things by time wait one interval
   */
  runDue(ctx: Ctx, steppedMs: number): Promise<void>;
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
  const complete = async (ctx: Ctx, job: Job, fence: number): Promise<Run> => {
    const run = await execute(ctx, job, owner, fence);
    onRun(run);
    return run;
  };
  const attempt = async (ctx: Ctx, job: Job, when: 'due' | 'now'): Promise<Run | null> => {
    const fence = await lease(ctx, job.name, owner, when);
    return fence === null ? null : complete(ctx, job, fence);
  };
  return {
    prepare: (ctx) => ctx.tx((ctx) => repo.ensure(ctx, [...byName.keys()])),
    async runDue(ctx, steppedMs) {
      if (steppedMs > CLOCK_JUMP_MS) await postpone(ctx, jobs);
      for (const name of await repo.listDue(ctx)) {
        const job = byName.get(name);
        if (job) await attempt(ctx, job, 'due');
      }
    },
    async run(ctx, asked, wait) {
      const job = await findJob(ctx, byName, asked);
      for (;;) {
        const run = await attempt(ctx, job, 'now');
        if (run) return run;
        if (!wait) throw alreadyRuns(job.name);
        await sleep(POLL_MS);
      }
    },
    async start(ctx, asked) {
      const job = await findJob(ctx, byName, asked);
      const fence = await lease(ctx, job.name, owner, 'now');
      if (fence === null) throw alreadyRuns(job.name);
      complete(ctx, job, fence).catch((error: unknown) =>
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

/** Takes the lease; `due` only when the job is still due, since another process may have run it meanwhile. */
const lease = (ctx: Ctx, name: string, owner: string, when: 'due' | 'now'): Promise<number | null> =>
  ctx.tx((ctx) => {
    const now = ctx.now();
    const until = addSeconds(now, LEASE_SECONDS);
    return repo.takeLease(ctx, { name, owner, now, until, due_by: when === 'due' ? now : ANY_TIME });
  });

async function execute(ctx: Ctx, job: Job, owner: string, fence: number): Promise<Run> {
  const held = { name: job.name, owner, fence };
  const renewal = setInterval(() => {
    ctx
      .tx((ctx) => repo.extendLease(ctx, { ...held, until: addSeconds(ctx.now(), LEASE_SECONDS) }))
      .catch((error: unknown) => ctx.log.warn({ err: error, job: job.name }, 'job lease was not renewed'));
  }, RENEW_MS);
  const startedAt = ctx.now();
  const started = performance.now();
  let outcome: { status: 'ok' | 'failed'; result: Record<string, number> | null; error: string | null };
  try {
    const asJob = ctx.with({ actor: { kind: 'job', id: null, label: job.name } });
    outcome = { status: 'ok', result: await job.run(asJob), error: null };
  } catch (error) {
    ctx.log.error({ err: error, job: job.name }, 'job failed');
    outcome = { status: 'failed', result: null, error: (error as Error).message };
  } finally {
    clearInterval(renewal);
  }
  const ms = Math.round(performance.now() - started);
  // The next run is due from the end of this one (M19).
  const nextDue = addSeconds(ctx.now(), job.everySeconds);
  await ctx.tx((ctx) => repo.finish(ctx, { ...held, nextDue }, { startedAt, ms, ...outcome }));
  const { error, ...rest } = outcome;
  return { name: job.name, startedAt, endedAt: ctx.now(), ms, ...rest, ...(error !== null && { error }) };
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
    running: row.lockedUntil !== null && row.lockedUntil >= ctx.now(),
  };
}

const alreadyRuns = (name: string): AppError =>
  new AppError('CONFLICT', 409, `${name} is running already`, { details: { hint: 'add --wait' } });

const unknownJob = (name: string, known: string[]): AppError =>
  new AppError('NOT_FOUND', 404, `there is no job ${name}`, {
    details: { hint: `known jobs: ${known.join(', ')}` },
  });
