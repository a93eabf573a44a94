import type { Ctx } from '../../context.ts';
import { readFlag, readJson, readJsonOrNull, writeJson } from '../../db/columns.ts';

export const TASK_STATUSES = ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One-off work: what it is, how far it is, and how it ended. */
export interface Task {
  id: string;
  kind: string;
  status: TaskStatus;
  startedBy: string;
  /** Of whoever began it; null for a command and for the program itself. */
  actorId: string | null;
  params: Record<string, unknown>;
  done: number;
  /** null as long as nobody knows. */
  total: number | null;
  cancelAsked: boolean;
  report: Record<string, unknown> | null;
  error: string | null;
  startedAt: string;
  finishedAt: string | null;
}

/** How a task ended. */
export interface TaskOutcome {
  status: Exclude<TaskStatus, 'RUNNING'>;
  report: object | null;
  error: string | null;
}

export async function insert(
  ctx: Ctx,
  task: { id: string; kind: string; params: Record<string, unknown>; lockedUntil: string },
): Promise<void> {
  await ctx.db.knex('tasks').insert({
    id: task.id,
    tenant_id: ctx.tenantId,
    kind: task.kind,
    status: 'RUNNING',
    started_by: ctx.actor.label ?? ctx.actor.kind,
    actor_id: ctx.actor.id,
    params: writeJson(task.params),
    done: 0,
    locked_until: task.lockedUntil,
    created_at: ctx.now(),
  });
}

/** Notes a sign of life and how far a running task is; null when it is not RUNNING any more. */
export async function beat(
  ctx: Ctx,
  { id, done, total, lockedUntil }: { id: string; done: number; total: number | null; lockedUntil: string },
): Promise<{ cancelAsked: boolean } | null> {
  const [row]: { cancel_asked: unknown }[] = await ctx.db
    .knex('tasks')
    .where({ id, status: 'RUNNING' })
    .update({ done, total, locked_until: lockedUntil })
    .returning('cancel_asked');
  return row ? { cancelAsked: readFlag(row.cancel_asked) } : null;
}

/** Ends a task, if nobody has ended it meanwhile. */
export async function end(
  ctx: Ctx,
  id: string,
  { done, total, status, report, error }: TaskOutcome & { done: number; total: number | null },
): Promise<void> {
  const outcome = { status, error, report: report && writeJson(report), finished_at: ctx.now() };
  await ctx.db
    .knex('tasks')
    .where({ id, status: 'RUNNING' })
    .update({ done, total, ...outcome });
}

/** @returns whether nobody had asked before, and the task still runs */
export const askToCancel = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.db
    .knex('tasks')
    .where({ id, status: 'RUNNING', cancel_asked: false })
    .update({ cancel_asked: true })) === 1;

/**
 * Ends running tasks without a sign of life.
 *
 * @param latest no lease is held longer than this by a right clock
 * @returns how many
 */
export const failLost = (ctx: Ctx, now: string, latest: string): Promise<number> =>
  ctx.db
    .knex('tasks')
    .where('status', 'RUNNING')
    .andWhere((lost) => lost.where('locked_until', '<', now).orWhere('locked_until', '>', latest))
    .update({ status: 'FAILED', error: 'the process that ran it has ended', finished_at: now });

/** Forgets tasks that ended before a time. */
export async function removeOld(ctx: Ctx, before: string): Promise<void> {
  await ctx.db.knex('tasks').where('finished_at', '<', before).delete();
}

export async function find(ctx: Ctx, id: string): Promise<Task | null> {
  const row = await ctx.db.knex('tasks').where({ id, tenant_id: ctx.tenantId }).first();
  return row ? taskOf(row) : null;
}

/** A row as the database has it. */
export interface StoredTask {
  id: string;
  kind: string;
  status: TaskStatus;
  started_by: string;
  actor_id: string | null;
  params: unknown;
  done: number;
  total: number | null;
  cancel_asked: unknown;
  report: unknown;
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

/** The task of a row. */
export const taskOf = (row: StoredTask): Task => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  startedBy: row.started_by,
  actorId: row.actor_id,
  params: readJson(row.params),
  done: row.done,
  total: row.total,
  cancelAsked: readFlag(row.cancel_asked),
  report: readJsonOrNull(row.report),
  error: row.error,
  startedAt: row.created_at,
  finishedAt: row.finished_at,
});
