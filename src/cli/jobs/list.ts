import { createScheduler, type JobView } from '#kernel/jobs/scheduler.ts';
import { capabilities } from '../../app/capabilities.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { pageOf } from '../paging.ts';

/** Every job of this program. */
export const jobs = capabilities.flatMap((one) => one.jobs ?? []);

/** `appctl jobs list`. */
export function listJobs(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, config }) => {
    const scheduler = createScheduler(jobs, 'cli', { timeZone: config.jobs.timeZone });
    await scheduler.prepare(ctx);
    const items = (await scheduler.list(ctx)).map(jobOf);
    await cli.out.page(pageOf({ page: 1, limit: Math.max(1, items.length) }, items, items.length), [
      { key: 'name' },
      { key: 'schedule' },
      {
        key: 'lastStatus',
        title: 'last',
        text: (job) => (job.running ? 'running' : (job.lastStatus ?? '-')),
      },
      { key: 'lastRunAt', title: 'last run', time: true },
      { key: 'lastMs', title: 'ms', align: 'right' },
      { key: 'nextRunAt', title: 'next run', time: true },
    ]);
  });
}

/** A job as the command prints it. */
export const jobOf = ({ description: _description, ...job }: JobView) => job;

/** Offers the name of every job. */
export async function completeJobNames(): Promise<readonly string[]> {
  return jobs.map((job) => job.name);
}
