import { systemClock } from '#kernel/clock.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';
import type { Job } from './twin.ts';

/** `expired 3, announced 3`. */
export const countsOf = (result: Record<string, number> | null): string =>
  Object.entries(result ?? {})
    .map(([key, count]) => `${key} ${count}`)
    .join(', ') || 'nothing to count';

/** Writes a job as the answer; for a person when it runs. */
export const writeJob = (cli: Cli, job: Job): Promise<void> =>
  cli.out.value(planned(cli, job), () => `${job.name} ${when(job)}`);

function when({ schedule, nextRunAt }: Job): string {
  if (nextRunAt === null) return 'is paused; you can still run it yourself';
  const times = schedule.startsWith('every ') ? schedule : `at ${schedule}`;
  const now = systemClock.epochMs();
  return `runs ${times}; next run: ${Date.parse(nextRunAt) <= now ? 'now' : humanTime(nextRunAt, now)}`;
}
