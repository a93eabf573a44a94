import { systemClock } from '#kernel/clock.ts';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { withLocal } from '../open.ts';
import { jobOf, jobs } from './list.ts';

/** `appctl jobs schedule NAME [CRON] [--interval]`. */
export async function scheduleJob(cli: Cli): Promise<void> {
  const name = cli.argument('name');
  const expression = cli.optionalArgument('schedule') ?? null;
  if ((expression === null) !== cli.flag('interval')) {
    throw usageError(
      'name a schedule in quotes, or --interval for the interval of the job',
      `appctl jobs schedule ${name} "30 3 * * *"`,
    );
  }
  await withLocal(cli, async ({ ctx, config }) => {
    const scheduler = createScheduler(jobs, 'cli', { timeZone: config.jobs.timeZone });
    const job = jobOf(await scheduler.reschedule(ctx, name, expression));
    await cli.out.value(
      job,
      () =>
        `${job.name} runs ${when(job.schedule)}; next run: ${humanTime(job.nextRunAt, systemClock.epochMs())}`,
    );
  });
}

const when = (schedule: string): string => (schedule.startsWith('every ') ? schedule : `at ${schedule}`);
