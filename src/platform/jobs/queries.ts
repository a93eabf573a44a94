import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { whereEntry } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Selection } from '#kernel/db/selection/spec.ts';
import { belonging } from '#kernel/db/visible.ts';
import { JOB_STATES, type JobView } from '#kernel/jobs/job-view.ts';
import { heldAtLatest } from '#kernel/jobs/lease.ts';
import { jobRowOf, type StoredJob } from '#kernel/jobs/repository.ts';
import { RUN_STATUSES } from '#kernel/jobs/run.ts';
import { jobRunRecord, type KeptRun } from '#kernel/jobs/runs/record.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import { type StoredTask, taskOf } from '#kernel/jobs/task/repository.ts';
import { failLost, TASK_STATUSES, type Task } from '#kernel/jobs/task.ts';
import { requireWholeInstallation, seesWholeInstallation } from '../admin/index.ts';

const STATE = `CASE WHEN locked_until >= ? AND locked_until <= ? THEN 'running' WHEN NOT enabled THEN 'paused'
  ELSE COALESCE(last_status, 'new') END AS state`;

/** The jobs that this server knows; they are those of the whole installation. */
const jobs = selection<JobView, StoredJob>({
  from(ctx) {
    requireWholeInstallation(ctx);
    const { knex } = ctx.db;
    const now = ctx.now();
    const names = schedulerOf(ctx).jobs.map(({ name }) => name);
    const rows = knex('scheduled_jobs')
      .whereIn('name', names)
      .select(
        '*',
        knex.raw(STATE, [now, heldAtLatest(now)]),
        knex.raw('CASE WHEN enabled THEN next_due END AS next_run'),
      );
    return knex.from(rows.as('j'));
  },
  id: 'j.name',
  scope: 'none',
  columns: ['j.*'],
  read: (stored, ctx) => schedulerOf(ctx).viewOf(ctx, jobRowOf(stored)),
  filters: { state: filter.choice(JOB_STATES, { label: 'State', column: 'j.state' }) },
  search: { placeholder: 'Name or description', by: byWords },
  sorts: {
    name: 'j.name',
    lastRun: { column: 'j.last_run_at', isNullable: true },
    nextRun: { column: 'j.next_run', isNullable: true },
    lastMs: { column: 'j.last_ms', isNullable: true },
  },
  initial: 'name',
});

export const jobRows: Selection<JobView> = {
  ...jobs,
  // Before the first byte of a file is sent.
  stream(ctx, asked) {
    requireWholeInstallation(ctx);
    return jobs.stream(ctx, asked);
  },
};

/** Descriptions are in the program alone. */
function byWords(query: Knex.QueryBuilder, text: string, ctx: Ctx): void {
  const sought = text.toLowerCase();
  const found = schedulerOf(ctx).jobs.filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(sought),
  );
  query.whereIn(
    'j.name',
    found.map(({ name }) => name),
  );
}

/** The history of jobs, the newest run first. */
export const runRows = selection<KeptRun>({
  from(ctx) {
    requireWholeInstallation(ctx);
    return ctx.db.knex(jobRunRecord.table);
  },
  id: 'id',
  scope: 'none',
  columns: jobRunRecord.written,
  read: jobRunRecord.read,
  filters: {
    job: filter.lookup({ label: 'Job', column: 'job', resource: 'jobs' }),
    status: filter.choice(RUN_STATUSES, { label: 'Status', column: 'status' }),
    '': filter.times({ label: 'Time', column: 'started_at' }),
  },
  sorts: { started: 'started_at', ms: 'ms' },
  initial: '-started',
});

/** Runs of a job that a list draws. */
const MOST_DRAWN = 20;

/** How long the last kept runs of each job took, the oldest first, in milliseconds; nothing for a job without one. */
export async function recentDurations(
  { db: { knex } }: Ctx,
  jobs: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const numbered = knex(jobRunRecord.table)
    .whereIn('job', [...jobs])
    .select('job', 'ms', knex.raw('row_number() OVER (PARTITION BY job ORDER BY started_at DESC) AS ago'));
  const rows: { job: string; ms: unknown }[] = await knex
    .from(numbered.as('r'))
    .where('ago', '<=', MOST_DRAWN)
    .orderBy('ago', 'desc')
    .select('job', 'ms');
  const found = Map.groupBy(rows, ({ job }) => job);
  return new Map([...found].map(([job, runs]) => [job, runs.map(({ ms }) => Number(ms))]));
}

const tasks = selection<Task, StoredTask>({
  from: ({ db }) => db.knex('tasks'),
  id: 'id',
  scope: visibleTasks,
  columns: ['*'],
  read: taskOf,
  filters: {
    status: filter.choice(TASK_STATUSES, { label: 'Status', column: 'status' }),
    kind: filter.text({ label: 'Task', column: 'kind', match: 'contains' }),
    started: filter.times({ label: 'Started', column: 'created_at' }),
  },
  sorts: { started: 'created_at', finished: { column: 'finished_at', isNullable: true } },
  initial: '-started',
});

/** Tasks of the tenant, the newest first. One whose process died is told as failed. */
export const taskRows: Selection<Task> = {
  ...tasks,
  async page(ctx, asked) {
    await failLost(ctx);
    return tasks.page(ctx, asked);
  },
};

/**
 * Everybody sees the tasks that they began themselves, and who may see the state of the system those of others. Who is
 * confined to products sees own ones alone: a report names rows, and not whose product they are about. An export or an
 * import of every tenant, which names others, is for those who see all of them.
 */
function visibleTasks(query: Knex.QueryBuilder, ctx: Ctx, byId: boolean): void {
  const { actor, db } = ctx;
  belonging(ctx, query, { 'tasks.tenant_id': ctx.tenantId }, byId);
  if (!seesWholeInstallation(actor)) {
    // Asked of each row by itself: a list of all those tasks would be made anew for each page of an export.
    const ofAll = db.knex('tasks as w').where('w.id', db.knex.ref('tasks.id')).select('w.id');
    whereEntry(ofAll, 'w.params', { name: 'allTenants', value: 'true' });
    query.whereNotExists(ofAll);
  }
  const isConfined = actor.scopes?.license_product !== undefined || actor.scopes?.vendor !== undefined;
  if (isConfined || !allows(actor, 'system:read')) query.where('actor_id', actor.id ?? '');
}
