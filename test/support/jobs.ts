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

/** Runs the job stats-flush as `jobs run` does: all that waits in the memory of the process is written. */
export async function flushEverything(ctx: Ctx): Promise<Record<string, number>> {
  const flushing = capabilities.flatMap(({ jobs = [] }) => jobs).find(({ name }) => name === 'stats-flush');
  return (flushing as Job).run(ctx);
}
