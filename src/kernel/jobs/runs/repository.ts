import { isBeforeEpoch } from '../../clock.ts';
import type { Ctx } from '../../context.ts';
import { insertInto } from '../../db/record-rows.ts';
import { statement } from '../../db/statement.ts';
import type { Run } from '../run.ts';
import { jobRunRecord, type KeptRun, MOST_ERROR, RUN_PREFIX } from './record.ts';

/** Of each outcome, so that a job that fails every ten seconds leaves its good runs in the history. */
const MOST_OF_A_JOB = 200;
/** Of all jobs, for whoever looks at them at once. */
const MOST_READ = 500;

const insert = insertInto(jobRunRecord);

const removeOldest = statement<{ job: string; status: string }>((q, p) =>
  q(jobRunRecord.table)
    .where(p.row('job', 'status'))
    .andWhere(
      'started_at',
      '<',
      q(jobRunRecord.table)
        .where(p.row('job', 'status'))
        .orderBy('started_at', 'desc')
        .offset(MOST_OF_A_JOB - 1)
        .limit(1)
        .select('started_at'),
    )
    .delete(),
);

/** Adds a run to the history of its job, in the transaction that notes its end. */
export async function keepRun(ctx: Ctx, { name, error, result, ...run }: Run): Promise<void> {
  // No id can be made then, and the end of the run is to be noted all the same.
  if (isBeforeEpoch(Date.parse(ctx.now()))) return;
  const row = {
    id: ctx.newId(RUN_PREFIX),
    job: name,
    ...run,
    result,
    error: error === undefined ? null : [...error].slice(0, MOST_ERROR).join(''),
  };
  await insert.run(ctx.db, jobRunRecord.write(row));
  await removeOldest.run(ctx.db, { job: name, status: run.status });
}

const newest = statement<Record<never, never>, Parameters<typeof jobRunRecord.read>[0]>((q) =>
  q(jobRunRecord.table).orderBy('started_at', 'desc').limit(MOST_READ).select(jobRunRecord.written),
);

/** The newest runs of all jobs, the newest first: 500 at most. */
export const newestRuns = async (ctx: Ctx): Promise<KeptRun[]> =>
  (await newest.all(ctx.db, {})).map(jobRunRecord.read);
