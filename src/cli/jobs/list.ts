import { systemClock } from '#kernel/clock.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { type Job, type KeptRun, pathOf, withJobs } from './twin.ts';
import { countsOf } from './view.ts';

/** More jobs than there are. */
const ALL = 500;

/** `appctl jobs list [--state STATE]`. */
export function listJobs(cli: Cli): Promise<void> {
  return withJobs(cli, async (desk) => {
    const state = cli.option('state');
    const page = await desk.get<DeskPage<Job>>('jobs', { limit: ALL, state });
    await cli.out.page(
      page,
      [
        { key: 'name' },
        { key: 'schedule' },
        { key: 'state' },
        { key: 'lastRunAt', title: 'last run', time: true },
        { key: 'lastMs', title: 'ms', align: 'right' },
        { key: 'nextRunAt', title: 'next run', time: true },
      ],
      `no job is ${state}; to see all: appctl jobs list`,
    );
  });
}

/** `appctl jobs history NAME`. */
export function showHistory(cli: Cli): Promise<void> {
  return withJobs(cli, async (desk) => {
    const status = cli.option('status');
    const page = await desk.get<DeskPage<KeptRun>>(`${pathOf(cli)}/runs`, { ...pageAsked(cli), status });
    await cli.out.page(
      page,
      [
        { key: 'startedAt', title: 'started', time: true },
        { key: 'status' },
        { key: 'ms', align: 'right' },
        { key: 'startedBy', title: 'requested by' },
        { key: 'result', text: ({ result, error }) => error ?? countsOf(result) },
      ],
      status === undefined ? null : undefined,
    );
    if (page.pagination.total > 0 || status !== undefined) return;
    const { job } = await desk.get<{ job: Job }>(pathOf(cli));
    const last = job.lastRunAt && `; it last ran at ${humanTime(job.lastRunAt, systemClock.epochMs())}`;
    cli.note(`${job.name} has not changed anything yet, and nobody has requested a run${last ?? ''}`);
    cli.next(`appctl jobs run ${job.name} --wait`);
  });
}

/** Offers the name of every job. */
export async function completeJobNames(): Promise<readonly string[]> {
  const { jobsOf } = await import('./here.ts');
  return jobsOf({ tls: undefined, mode: 'production' }).map(({ name }) => name);
}
