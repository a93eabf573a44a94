import { z } from 'zod';
import { column } from '../../db/column.ts';
import { record, type ValuesOf } from '../../db/record.ts';
import { RUN_STATUSES } from '../run.ts';

/** What a run did, by the names that its job gives to its counts. */
export const RunCounts = z.record(z.string(), z.number());

export const MOST_ERROR = 2000;
export const RUN_PREFIX = 'run';

/** Runs of jobs that are worth a look later (decision 0053). */
export const jobRunRecord = record(
  'job_runs',
  {
    id: column.id(RUN_PREFIX),
    job: column.text(100, 1),
    startedAt: column.time(),
    endedAt: column.time(),
    status: column.choice(RUN_STATUSES),
    /** Milliseconds on the monotonic clock. */
    ms: column.integer(0),
    result: column.json(() => RunCounts).nullable(),
    error: column.text(MOST_ERROR).nullable(),
    /** Null: it was due. */
    startedBy: column.text(300).nullable(),
  },
  { kept: [{ as: 'jobRuns', by: 'startedAt', days: 30 }] },
);

/** A run as it is kept. */
export type KeptRun = ValuesOf<typeof jobRunRecord>;
