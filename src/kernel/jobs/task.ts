import { addSeconds, SECONDS_PER_DAY, sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { memoryKey } from '../process-memory.ts';
import { jobEvents } from './events.ts';
import * as repo from './task/repository.ts';

export { TASK_STATUSES, type Task, type TaskStatus } from './task/repository.ts';

const BEAT_MS = 1000;
/** Without a sign of life for so long its process has died; a slow transaction must not look like that. */
const LEASE_SECONDS = 30;
const KEPT_DAYS = 30;

/** What the work of a task has in its hands. */
export interface RunningTask {
  readonly id: string;
  /**
   * Notes how far it is; written once a second.
   *
   * @throws AppError CONFLICT when somebody has cancelled the task: what is done stays, the rest is left
   */
  progress(done: number, total?: number): void;
  /** Notes what its report says should it fail; what the work returns replaces it. */
  note(report: object): void;
}

/** What a task is, for people who list it. */
export interface TaskSpec {
  /** `import licenses` */
  readonly kind: string;
  /** What it was asked for; never a secret. */
  readonly params: Record<string, unknown>;
}

/**
 * Runs one-off work as a task: every process sees how far it is and may cancel it, and its outcome is kept for 30 days.
 * A task whose process dies is shown as failed; the work itself says in its report what running it again does.
 *
 * @param work calls `progress` after each step that leaves everything whole
 * @returns what `work` returned, which is also the report of the task
 * @throws what `work` threw: the task is then FAILED, or CANCELLED when somebody asked for it
 */
export async function runTask<R extends object>(
  ctx: Ctx,
  spec: TaskSpec,
  work: (task: RunningTask) => Promise<R>,
): Promise<R> {
  return drive(ctx, await begin(ctx, spec), work);
}

/**
 * Begins one-off work and does not wait for it: the same as `runTask`, for an answer that says only where to look.
 * A process that stops ends it with `stopTasks`.
 *
 * @param patienceMs a task that ends so soon is returned with its end
 */
export async function startTask(
  ctx: Ctx,
  spec: TaskSpec,
  work: (task: RunningTask) => Promise<object>,
  patienceMs = 0,
): Promise<repo.Task> {
  const id = await begin(ctx, spec);
  const { driven } = ctx.memory.of(started);
  const run = drive(ctx, id, work, ctx.memory.of(started))
    .catch((error: unknown) => ctx.log.warn({ err: error, task: id, kind: spec.kind }, 'a task failed'))
    .finally(() => driven.delete(run));
  driven.add(run);
  if (patienceMs > 0) await Promise.race([run, sleep(patienceMs)]);
  return getTask(ctx, id);
}

/** Stops the tasks that this process began without waiting for them, each after the step under way. */
export async function stopTasks({ memory }: Pick<Ctx, 'memory'>): Promise<void> {
  const tasks = memory.of(started);
  tasks.isStopping = true;
  await Promise.all(tasks.driven);
}

const started = memoryKey('started tasks', () => ({
  isStopping: false,
  driven: new Set<Promise<unknown>>(),
}));

async function drive<R extends object>(
  ctx: Ctx,
  id: string,
  work: (task: RunningTask) => Promise<R>,
  process: { readonly isStopping: boolean } = { isStopping: false },
): Promise<R> {
  const state: State = { done: 0, total: null, noted: null, ended: null };
  const timer = setInterval(() => {
    beat(ctx, id, state).catch((error: unknown) =>
      ctx.log.warn({ err: error, task: id }, 'the progress of a task was not noted'),
    );
  }, BEAT_MS);
  const progress = (done: number, total?: number): void => {
    state.done = done;
    state.total = total ?? state.total;
    if (process.isStopping) state.ended ??= 'stopped';
    if (state.ended) throw stopped(id, state.ended);
  };
  try {
    const report = await work({ id, progress, note: (noted) => void (state.noted = noted) });
    await end(ctx, id, state, { status: 'DONE', report, error: null });
    return report;
  } catch (error) {
    const status = state.ended === 'cancelled' ? 'CANCELLED' : 'FAILED';
    await end(ctx, id, state, { status, report: state.noted, error: (error as Error).message }).catch(
      () => undefined,
    );
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Asks a running task to stop; it does so after the step under way.
 *
 * @throws AppError NOT_FOUND; CONFLICT for one that has ended
 */
export async function cancelTask(ctx: Ctx, id: string): Promise<repo.Task> {
  const task = await getTask(ctx, id);
  if (task.status !== 'RUNNING') {
    throw new AppError('CONFLICT', 409, `task ${id} has already ended: ${task.status}`, {
      details: { status: task.status, hint: `appctl jobs show ${id}` },
    });
  }
  await ctx.tx(async (ctx) => {
    if (!(await repo.askToCancel(ctx, id))) return;
    const sides = { before: { cancelAsked: false }, after: { cancelAsked: true } };
    await jobEvents.tell(ctx, 'TASK_CANCELLED', id, { kind: task.kind }, { target: 'tasks', ...sides });
  });
  return getTask(ctx, id);
}

/** @throws AppError NOT_FOUND */
export async function getTask(ctx: Ctx, id: string): Promise<repo.Task> {
  await failLost(ctx);
  const task = await repo.find(ctx, id);
  if (task) return task;
  throw unknownTask(id);
}

export const unknownTask = (id: string): AppError =>
  new AppError('NOT_FOUND', 404, `task ${id} was not found`, { details: { hint: 'appctl jobs tasks' } });

/** A task whose process died says so instead of running for ever. @returns how many did */
export const failLost = (ctx: Ctx): Promise<number> =>
  ctx.tx((ctx) => repo.failLost(ctx, ctx.now(), addSeconds(ctx.now(), 2 * LEASE_SECONDS)));

type Ended = 'cancelled' | 'lost' | 'stopped';

interface State {
  done: number;
  total: number | null;
  /** Of a report, should it fail. */
  noted: object | null;
  /** Why it may not go on. */
  ended: Ended | null;
}

const begin = (ctx: Ctx, { kind, params }: TaskSpec): Promise<string> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now();
    await repo.removeOld(ctx, addSeconds(now, -KEPT_DAYS * SECONDS_PER_DAY));
    const id = ctx.newId('tsk');
    await repo.insert(ctx, { id, kind, params, lockedUntil: addSeconds(now, LEASE_SECONDS) });
    return id;
  });

async function beat(ctx: Ctx, id: string, state: State): Promise<void> {
  const lockedUntil = addSeconds(ctx.now(), LEASE_SECONDS);
  const row = await ctx.tx((ctx) => repo.beat(ctx, { id, lockedUntil, ...state }));
  if (row === null) state.ended ??= 'lost';
  else if (row.cancelAsked) state.ended ??= 'cancelled';
}

const end = (ctx: Ctx, id: string, { done, total }: State, outcome: repo.TaskOutcome): Promise<void> =>
  ctx.tx((ctx) => repo.end(ctx, id, { done, total, ...outcome }));

const words: Record<Ended, string> = {
  cancelled: 'was canceled',
  lost: 'stopped responding and was given up',
  stopped: 'was stopped when the server stopped',
};

const stopped = (id: string, why: Ended): AppError =>
  new AppError('CONFLICT', 409, `task ${id} ${words[why]}`, {
    details: {
      ...(why === 'cancelled' && { reason: 'CANCELLED' }),
      hint: 'what was done stays; run the command again to continue',
    },
  });
