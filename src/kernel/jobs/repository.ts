import type { Ctx } from '../context.ts';
import { readFlag, readJsonOrNull, writeJson } from '../db/columns.ts';
import { statement } from '../db/statement.ts';

export interface JobRow {
  name: string;
  nextDue: string;
  lockOwner: string | null;
  lockedUntil: string | null;
  enabled: boolean;
  lastRunAt: string | null;
  lastStatus: string | null;
  lastMs: number | null;
  lastResult: Record<string, number> | null;
  lastError: string | null;
}

interface Lease {
  /** The job is taken only if it was due by this time: another process may have run it since it was listed. */
  due_by: string;
  name: string;
  owner: string;
  now: string;
  until: string;
}

const insertJob = statement<{ name: string; now: string }>((q, p) =>
  q('scheduled_jobs')
    .insert({ name: p('name'), next_due: p('now'), created_at: p('now'), fence: 0, enabled: true })
    .onConflict('name')
    .ignore(),
);

const dueNames = statement<{ now: string }, { name: string }>((q, p) =>
  q('scheduled_jobs')
    .where('next_due', '<=', p('now'))
    .andWhere('enabled', true)
    .andWhere((free) => free.whereNull('locked_until').orWhere('locked_until', '<', p('now')))
    .orderBy('next_due')
    .select('name'),
);

const claim = statement<Lease, { fence: number }>((q, p) =>
  q('scheduled_jobs')
    .where('name', p('name'))
    .where('next_due', '<=', p('due_by'))
    .andWhere((free) => free.whereNull('locked_until').orWhere('locked_until', '<', p('now')))
    .update({ lock_owner: p('owner'), locked_until: p('until'), fence: q.raw('fence + 1') as never })
    .returning('fence'),
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
export async function ensure(ctx: Ctx, names: readonly string[]): Promise<void> {
  for (const name of names) await insertJob.run(ctx.db, { name, now: ctx.now() });
}

export const listDue = async (ctx: Ctx): Promise<string[]> =>
  (await dueNames.all(ctx.db, { now: ctx.now() })).map((row) => row.name);

/** Takes the lease of a job; the fence of this run, or null when somebody else holds it (M19). */
export const takeLease = async (ctx: Ctx, lease: Lease): Promise<number | null> =>
  (await claim.first(ctx.db, lease))?.fence ?? null;

/** Whether the lease was still ours and is now longer. */
export const extendLease = async (
  ctx: Ctx,
  lease: { name: string; owner: string; fence: number; until: string },
): Promise<boolean> => (await extend.run(ctx.db, lease)) === 1;

/** Frees the lease and notes the outcome, if the lease is still that of this run. */
export async function finish(
  ctx: Ctx,
  run: { name: string; owner: string; fence: number; nextDue: string },
  outcome: { startedAt: string; ms: number; status: 'ok' | 'failed'; result: unknown; error: string | null },
): Promise<void> {
  await ctx.db
    .knex('scheduled_jobs')
    .where({ name: run.name, lock_owner: run.owner, fence: run.fence })
    .update({
      lock_owner: null,
      locked_until: null,
      next_due: run.nextDue,
      last_run_at: outcome.startedAt,
      last_status: outcome.status,
      last_ms: outcome.ms,
      last_result: writeJson(outcome.result ?? null),
      last_error: outcome.error,
    });
}

/** Moves the next run of a job, whether it was due or not. */
export async function postpone(ctx: Ctx, name: string, nextDue: string): Promise<void> {
  await ctx.db.knex('scheduled_jobs').where({ name }).update({ next_due: nextDue });
}

export async function list(ctx: Ctx): Promise<JobRow[]> {
  const rows = await ctx.db.knex('scheduled_jobs').orderBy('name');
  return rows.map((row) => ({
    name: row.name,
    nextDue: row.next_due,
    lockOwner: row.lock_owner,
    lockedUntil: row.locked_until,
    enabled: readFlag(row.enabled),
    lastRunAt: row.last_run_at,
    lastStatus: row.last_status,
    lastMs: row.last_ms,
    lastResult: readJsonOrNull(row.last_result),
    lastError: row.last_error,
  }));
}
