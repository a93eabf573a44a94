import type { Ctx } from '#kernel/context.ts';
import { hookRunRecord } from './record.ts';

/** Runs after a commit of one file, in all processes. */
export interface FileRuns {
  /** Not run yet, or waiting for another attempt. */
  readonly waiting: number;
  /** Given up in the last 30 days. */
  readonly failed: number;
  readonly skipped: number;
}

const NONE: FileRuns = { waiting: 0, failed: 0, skipped: 0 };

/** By the names of files. */
export async function runsByFile(ctx: Ctx): Promise<(file: string) => FileRuns> {
  const rows: { file: string; state: string; n: number | string }[] = await ctx.db
    .knex(hookRunRecord.table)
    .groupBy('file', 'state')
    .select('file', 'state')
    .count({ n: '*' });
  const by = new Map<string, FileRuns>();
  for (const { file, state, n } of rows) {
    const name = state === 'pending' ? 'waiting' : state;
    by.set(file, { ...(by.get(file) ?? NONE), [name]: Number(n) });
  }
  return (file) => by.get(file) ?? NONE;
}

/** The run that was given up last. */
export async function lastFailed(
  ctx: Ctx,
): Promise<{ file: string; point: string; error: string; at: string } | null> {
  const row = await ctx.db
    .knex(hookRunRecord.table)
    .where({ state: 'failed' })
    .orderBy('ended_at', 'desc')
    .first('file', 'point', 'last_error', 'ended_at');
  if (!row) return null;
  return { file: row.file, point: row.point, error: row.last_error ?? '', at: row.ended_at };
}

/** Runs that were given up in the last so many days, and that wait. */
export async function countRuns(ctx: Ctx, since: string): Promise<{ failed: number; waiting: number }> {
  const runs = ctx.db.knex(hookRunRecord.table);
  const [failed] = await runs
    .clone()
    .where({ state: 'failed' })
    .where('ended_at', '>', since)
    .count({ n: '*' });
  const [waiting] = await runs.clone().where({ state: 'pending' }).count({ n: '*' });
  return { failed: Number(failed?.n ?? 0), waiting: Number(waiting?.n ?? 0) };
}
