import type { Job } from '../capability.ts';
import type { Ctx } from '../context.ts';
import { gauges, type MetricGroup } from '../metric.ts';
import { memoryKey } from '../process-memory.ts';
import { isOn } from '../settings-reader.ts';
import * as repo from './repository.ts';

/** Ends of the last successful runs by job, in epoch milliseconds; of a job that none is known of, the first look. */
const successes = memoryKey('job-successes', () => new Map<string, number>());

/**
 * How long ago jobs did their work, by the rows that all processes write. Jobs that are switched off are left out, since
 * their age means nothing.
 *
 * @param jobs that a server of this configuration runs
 */
export const jobMetrics = (jobs: readonly Job[]): MetricGroup =>
  gauges(
    {
      appctl_job_success_age_seconds: {
        help: 'Seconds since the last successful run of a job, or since the first check if none is known',
        labels: ['job'],
      },
      appctl_job_failed: {
        help: '1 if the last run of a job failed, 0 if not',
        labels: ['job'],
      },
      appctl_job_overdue_seconds: {
        help: 'Seconds since a run of a job was due that has not ended; 0 if none is due',
        labels: ['job'],
      },
    },
    async (ctx) => {
      // What each process runs for itself writes no row.
      const known = new Map(jobs.filter(({ everyProcess }) => !everyProcess).map((job) => [job.name, job]));
      const rows = (await repo.list(ctx)).filter(({ name, enabled }) => {
        const job = known.get(name);
        return job !== undefined && enabled && isOn(job, ctx);
      });
      const nowMs = Date.parse(ctx.now());
      const each = (of: (row: repo.JobRow) => number) =>
        rows.map((row) => ({ labels: { job: row.name }, value: of(row) }));
      return {
        appctl_job_success_age_seconds: each((row) => secondsFrom(lastSuccess(ctx, row, nowMs), nowMs)),
        appctl_job_failed: each(({ lastStatus }) => (lastStatus === 'failed' ? 1 : 0)),
        appctl_job_overdue_seconds: each(({ nextDue }) => secondsFrom(Date.parse(nextDue), nowMs)),
      };
    },
  );

const secondsFrom = (thenMs: number, nowMs: number): number => Math.max(0, (nowMs - thenMs) / 1000);

/** A row tells of the last run only: what it said before the job began to fail is remembered here. */
function lastSuccess(ctx: Ctx, { name, lastStatus, lastRunAt, lastMs }: repo.JobRow, nowMs: number): number {
  const remembered = ctx.memory.of(successes);
  if (lastStatus === 'ok' && lastRunAt !== null) remembered.set(name, Date.parse(lastRunAt) + (lastMs ?? 0));
  else if (!remembered.has(name)) remembered.set(name, nowMs);
  return remembered.get(name) as number;
}
