import type { Capability, Flush, Job } from '../capability.ts';
import type { Ctx } from '../context.ts';

/** Where the counts of a flush that gives several of them are named by the flush itself. */
type Flushers = readonly (readonly [count: string, flush: Flush])[];

/**
 * The job that writes what capabilities keep in the memory of each process (`Capability.flushes`): no request waits
 * for it (C13).
 *
 * @param capabilities in whose order is written; also those that are switched off, since their memory would be lost
 */
export function flushJob(
  named: Pick<Job, 'name' | 'description' | 'everySeconds'>,
  capabilities: readonly Capability[],
): Job {
  const declared = capabilities.flatMap(({ flushes = {} }) => Object.entries(flushes));
  const all: Flushers = declared.map(([count, one]) => [count, typeof one === 'function' ? one : one.all]);
  const part: Flushers = declared.map(([count, one]) => [count, typeof one === 'function' ? one : one.part]);
  return {
    ...named,
    everyProcess: true,
    run: (ctx) => flushEach(ctx, all),
    runPart: (ctx) => flushEach(ctx, part),
  };
}

/** Each is tried, whatever becomes of the others. @throws the first failure, after all were tried */
async function flushEach(ctx: Ctx, flushers: Flushers): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let failure: unknown;
  for (const [name, flush] of flushers) {
    try {
      const written = await flush(ctx);
      Object.assign(counts, typeof written === 'number' ? { [name]: written } : written);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return counts;
}
