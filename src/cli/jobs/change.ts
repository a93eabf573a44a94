import { noteChange } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type Job, pathOf, withJobs } from './twin.ts';
import { writeJob } from './view.ts';

/** `appctl jobs schedule NAME [CRON] [--interval]`. */
export async function scheduleJob(cli: Cli): Promise<void> {
  const schedule = cli.optionalArgument('schedule') ?? null;
  if ((schedule === null) !== cli.flag('interval')) {
    throw usageError(
      'give a schedule in quotes, or --interval to use the interval of the job',
      `appctl jobs schedule ${cli.argument('name')} "30 3 * * *"`,
    );
  }
  await withJobs(cli, async (desk) => {
    const { job } = await desk.post<{ job: Job }>(`${pathOf(cli)}/schedule`, { schedule });
    await writeJob(cli, job);
  });
}

/** `appctl jobs pause NAME`. */
export const pauseJob = (cli: Cli): Promise<void> => switched(cli, 'pause', 'paused');

/** `appctl jobs resume NAME`. */
export const resumeJob = (cli: Cli): Promise<void> => switched(cli, 'resume', 'resumed');

function switched(cli: Cli, action: 'pause' | 'resume', done: string): Promise<void> {
  return withJobs(cli, async (desk) => {
    const path = pathOf(cli);
    const { job: before } = await desk.get<{ job: Job }>(path);
    const { job } = await desk.post<{ job: Job }>(`${path}/${action}`);
    await writeJob(cli, job);
    const wasSo = before.enabled === (action === 'resume');
    const already = action === 'pause' ? 'was already paused' : 'was not paused';
    noteChange(cli, wasSo ? `${job.name} ${already}` : `${done} ${job.name}`);
    if (cli.dryRun || wasSo) return;
    cli.next(action === 'pause' ? `appctl jobs resume ${job.name}` : `appctl jobs history ${job.name}`);
  });
}
