import { type Capability, capability } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { flushRefusals } from '#platform/limit-refusals/index.ts';
import { flushHits, learnBlocks } from './insight/honeypots/index.ts';
import { flushRequests } from './insight/requests/index.ts';
import { flushDue, flushStatistics } from './insight/statistics/index.ts';
import { flushCounts } from './releases/updates/index.ts';

type Flushers = Readonly<Record<string, (ctx: Ctx) => Promise<number | Record<string, number>>>>;

/** What waits in the memory of a process until it is written, by the name of its count. */
const flushers: Flushers = {
  hits: flushHits,
  // What the others have written by now.
  blocks: async (ctx) => learnBlocks(ctx).then(() => ({})),
  refusals: flushRefusals,
  requests: flushRequests,
  statistics: flushStatistics,
  releases: flushCounts,
};

/** The job that writes the counters of requests (licensing 4.5): no request waits for them (C13). */
export const writtenBehind: Capability = capability({
  name: 'statistics',
  jobs: [
    {
      name: 'stats-flush',
      description: 'Writes the counters, observations and request log that a server holds in memory',
      everySeconds: 10,
      everyProcess: true,
      run: (ctx) => flushAll(ctx, flushers),
      runPart: (ctx) => flushAll(ctx, { ...flushers, statistics: flushDue }),
    },
  ],
});

/** Each is tried, whatever becomes of the others. @throws the first failure, after all were tried */
async function flushAll(ctx: Ctx, flushers: Flushers): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let failure: unknown;
  for (const [name, flush] of Object.entries(flushers)) {
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
