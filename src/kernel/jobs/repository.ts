import type { Ctx } from '../context.ts';
import { readFlag, readJsonOrNull, writeJson } from '../db/columns.ts';
import type { Knex } from '../db/database.ts';
import { type Parameters, statement } from '../db/statement.ts';

export interface JobRow {
  name: string;
  nextDue: string;
  lockOwner: string | null;
  lockedUntil: string | null;
  enabled: boolean;
  /** Cron expression that an operator gave it; null: its own interval. */
  schedule: string | null;
  lastRunAt: string | null;
  lastStatus: string | null;
  lastMs: number | null;
  lastResult: Record<string, number> | null;
  lastError: string | null;
  /** Null for one that nobody paused. */
  pausedAt: string | null;
  pausedBy: string | null;
}

interface Lease {
  name: string;
  owner: string;
  now: string;
  until: string;
  /** The job is taken only if it was due by this time: another process may have run it since it was listed. */
  due_by: string;
  /** No job is due later than this by a right clock: one that is was put off by a clock that was set back since. */
  due_at_latest: string;
  /** Likewise for a lease: a process that died under a wrong clock must not hold it until that time comes. */
  held_at_latest: string;
}

const insertJob = statement<{ name: string; due: string; now: string }>((q, p) =>
  q('scheduled_jobs')
    .insert({ name: p('name'), next_due: p('due'), created_at: p('now'), fence: 0, enabled: true })
    .onConflict('name')
    .ignore(),
);

/** A job whose lease is free, and when it is due. */
export interface FreeJob {
  name: string;
  nextDue: string;
  schedule: string | null;
}

type Until = Pick<Lease, 'now' | 'held_at_latest'>;

const isFree =
  (p: (name: keyof Until) => string) =>
  (row: Knex.QueryBuilder): void => {
    row
      .whereNull('locked_until')
      .orWhere('locked_until', '<', p('now'))
      .orWhere('locked_until', '>', p('held_at_latest'));
  };

const freeRows = statement<Until, { name: string; next_due: string; schedule: string | null }>((q, p) =>
  q('scheduled_jobs')
    .where('enabled', true)
    .andWhere(isFree(p))
    .orderBy('next_due')
    .select('name', 'next_due', 'schedule'),
);

const claimed = (q: Knex, p: Parameters<Lease>, among: Knex.QueryBuilder): Knex.QueryBuilder =>
  among
    .where('name', p('name'))
    .andWhere((due) => due.where('next_due', '<=', p('due_by')).orWhere('next_due', '>', p('due_at_latest')))
    .andWhere(isFree(p))
    .update({ lock_owner: p('owner'), locked_until: p('until'), fence: q.raw('fence + 1') as never })
    .returning('fence');

const claim = statement<Lease, { fence: number }>((q, p) => claimed(q, p, q('scheduled_jobs')));
const claimDue = statement<Lease, { fence: number }>((q, p) =>
  claimed(q, p, q('scheduled_jobs').where('enabled', true)),
);

const extend = statement<{ name: string; owner: string; fence: number; until: string }>((q, p) =>
  q('scheduled_jobs')
    .where(p.row('name'))
    .andWhere('lock_owner', p('owner'))
    .andWhere('fence', p('fence'))
    .update({
      locked_until: p('until'),
    }),
);

/** Makes the rows of jobs that this program knows; present ones stay as they are. */
export async function ensure(ctx: Ctx, jobs: readonly { name: string; due: string }[]): Promise<void> {
  for (const { name, due } of jobs) await insertJob.run(ctx.db, { name, due, now: ctx.now() });
}

/** Jobs that are switched on and that nobody runs, longest due first. */
export const listFree = async (ctx: Ctx, until: Until): Promise<FreeJob[]> =>
  (await freeRows.all(ctx.db, until)).map(({ name, next_due, schedule }) => ({
    name,
    nextDue: next_due,
    schedule,
  }));

/** Takes the lease of a job; the fence of this run, or null when somebody else holds it (M19). */
export const takeLease = async (ctx: Ctx, lease: Lease): Promise<number | null> =>
  (await claim.first(ctx.db, lease))?.fence ?? null;

/** As `takeLease`, but of a job that is not paused. */
export const takeDueLease = async (ctx: Ctx, lease: Lease): Promise<number | null> =>
  (await claimDue.first(ctx.db, lease))?.fence ?? null;

/** Whether the lease was still ours and is now longer. */
export const extendLease = async (
  ctx: Ctx,
  lease: { name: string; owner: string; fence: number; until: string },
): Promise<boolean> => (await extend.run(ctx.db, lease)) === 1;

/** How a run ended, as its row keeps it. */
export interface Outcome {
  startedAt: string;
  ms: number;
  status: 'ok' | 'failed';
  result: unknown;
  error?: string;
}

const outcomeColumns = ({ startedAt, ms, status, result, error }: Outcome) => ({
  last_run_at: startedAt,
  last_status: status,
  last_ms: ms,
  last_result: writeJson(result ?? null),
  last_error: error ?? null,
});

/** Frees the lease and notes the outcome, if the lease is still that of this run. */
export async function finish(
  ctx: Ctx,
  run: { name: string; owner: string; fence: number; nextDue: string },
  outcome: Outcome,
): Promise<void> {
  await ctx.db
    .knex('scheduled_jobs')
    .where({ name: run.name, lock_owner: run.owner, fence: run.fence })
    .update({ lock_owner: null, locked_until: null, next_due: run.nextDue, ...outcomeColumns(outcome) });
}

/** Notes the outcome of a run without a lease; the last process that ends one is the one that is shown. */
export async function note(ctx: Ctx, name: string, nextDue: string, outcome: Outcome): Promise<void> {
  await ctx.db
    .knex('scheduled_jobs')
    .where({ name })
    .update({ next_due: nextDue, ...outcomeColumns(outcome) });
}

const enabledRow = statement<{ name: string }, { enabled: unknown }>((q, p) =>
  q('scheduled_jobs').where('name', p('name')).select('enabled'),
);

/** Whether a job is switched on; one without a row is. */
export async function isEnabled(ctx: Ctx, name: string): Promise<boolean> {
  const row = await enabledRow.first(ctx.db, { name });
  return row === undefined || readFlag(row.enabled);
}

const scheduleRow = statement<{ name: string }, { schedule: string | null }>((q, p) =>
  q('scheduled_jobs').where('name', p('name')).select('schedule'),
);

const heldRow = statement<{ name: string }>((q, p) =>
  q('scheduled_jobs').where('name', p('name')).forUpdate().select('name'),
);

/** Holds the row of a job until the end of the transaction. */
export const lockJob = (ctx: Ctx, name: string): Promise<void> => heldRow.lock(ctx.db, { name });

/** The cron expression of a job; null when it has none. */
export const findSchedule = async (ctx: Ctx, name: string): Promise<string | null> =>
  (await scheduleRow.first(ctx.db, { name }))?.schedule ?? null;

/** Gives a job another schedule, or its own interval again, and the next run that comes of it. */
export async function reschedule(
  ctx: Ctx,
  name: string,
  { schedule, nextDue }: { schedule: string | null; nextDue: string },
): Promise<void> {
  await ctx.db.knex('scheduled_jobs').where({ name }).update({ schedule, next_due: nextDue });
}

/** Moves the next run of a job, whether it was due or not. */
export async function postpone(ctx: Ctx, name: string, nextDue: string): Promise<void> {
  await ctx.db.knex('scheduled_jobs').where({ name }).update({ next_due: nextDue });
}

/**
 * Stops a job from being due.
 *
 * @returns whether it was not paused before
 */
export const pause = async (ctx: Ctx, name: string, by: string | null): Promise<boolean> =>
  (await ctx.db
    .knex('scheduled_jobs')
    .where({ name, enabled: true })
    .update({ enabled: false, paused_at: ctx.now(), paused_by: by })) === 1;

/**
 * Lets a job be due again.
 *
 * @param nextDue undefined leaves it as it is
 * @returns whether it was paused before
 */
export const resume = async (ctx: Ctx, name: string, nextDue: string | undefined): Promise<boolean> =>
  (await ctx.db
    .knex('scheduled_jobs')
    .where({ name, enabled: false })
    .update({ enabled: true, paused_at: null, paused_by: null, next_due: nextDue })) === 1;

export async function list(ctx: Ctx): Promise<JobRow[]> {
  return (await ctx.db.knex('scheduled_jobs').orderBy('name')).map(jobRowOf);
}

/** One job, or null. */
export async function find(ctx: Ctx, name: string): Promise<JobRow | null> {
  const row = await ctx.db.knex('scheduled_jobs').where({ name }).first();
  return row ? jobRowOf(row) : null;
}

/** A row as the database has it. */
export interface StoredJob {
  name: string;
  next_due: string;
  lock_owner: string | null;
  locked_until: string | null;
  enabled: unknown;
  schedule: string | null;
  last_run_at: string | null;
  last_status: string | null;
  last_ms: number | null;
  last_result: unknown;
  last_error: string | null;
  paused_at: string | null;
  paused_by: string | null;
}

/** The job of a row. */
export const jobRowOf = (row: StoredJob): JobRow => ({
  name: row.name,
  nextDue: row.next_due,
  lockOwner: row.lock_owner,
  lockedUntil: row.locked_until,
  enabled: readFlag(row.enabled),
  schedule: row.schedule,
  lastRunAt: row.last_run_at,
  lastStatus: row.last_status,
  lastMs: row.last_ms,
  lastResult: readJsonOrNull(row.last_result),
  lastError: row.last_error,
  pausedAt: row.paused_at,
  pausedBy: row.paused_by,
});

/** Frees the leases of jobs whose runner died, so that nothing shows them as running. */
export async function freeLostLeases(ctx: Ctx, before: string): Promise<void> {
  await ctx.db
    .knex('scheduled_jobs')
    .whereNotNull('lock_owner')
    .andWhere('locked_until', '<', before)
    .update({ lock_owner: null, locked_until: null });
}
