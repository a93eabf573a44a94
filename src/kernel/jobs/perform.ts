import type { Job } from '../capability.ts';
import type { Ctx } from '../context.ts';
import { PartlyDone } from './leftovers.ts';
import type { Run } from './run.ts';

/**
 * Runs a job as itself; a failure is logged and becomes part of the outcome. One that was done in part has logged its own.
 *
 * @param startedBy who asked for it; null when it was due
 */
export async function perform(ctx: Ctx, job: Job, startedBy: string | null): Promise<Run> {
  const startedAt = ctx.now();
  const started = performance.now();
  let outcome: Pick<Run, 'status' | 'result' | 'error'>;
  try {
    const asJob = ctx.with({ actor: { kind: 'job', id: null, label: job.name } });
    outcome = { status: 'ok', result: await job.run(asJob) };
  } catch (error) {
    const counts = error instanceof PartlyDone ? error.counts : null;
    if (counts === null) ctx.log.error({ err: error, job: job.name }, 'job failed');
    outcome = { status: 'failed', result: counts, error: (error as Error).message };
  }
  const ms = Math.round(performance.now() - started);
  return { name: job.name, startedAt, endedAt: ctx.now(), ms, ...outcome, startedBy };
}
