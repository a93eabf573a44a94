// Jobs that a test makes up, and runs as a serving process does.
import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Scheduler } from '#kernel/jobs/scheduler.ts';
import { capabilities } from '../../src/app/capabilities.ts';

/** A job of every minute. */
export const job = (name: string, run: Job['run'], more: Partial<Job> = {}): Job => ({
  name,
  description: name,
  everySeconds: 60,
  run,
  ...more,
});

/** A job that runs until it is let go. */
export function heldJob(name: string) {
  let release: () => void = () => undefined;
  let runs = 0;
  const held = job(name, async () => {
    runs += 1;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { runs };
  });
  return { held, release: () => release(), runs: () => runs };
}

/** Runs what is due, to its end. */
export async function runDue(scheduler: Scheduler, ctx: Ctx, steppedMs: number): Promise<void> {
  await (await scheduler.startDue(ctx, steppedMs)).ended;
}

/** Runs a job of the program as `jobs run` does. */
export async function runJob(ctx: Ctx, name: string): Promise<Record<string, number>> {
  const found = capabilities.flatMap(({ jobs = [] }) => jobs).find((job) => job.name === name);
  return (found as Job).run(ctx);
}

/** All that waits in the memory of the process is written. */
export const flushEverything = (ctx: Ctx): Promise<Record<string, number>> => runJob(ctx, 'stats-flush');
