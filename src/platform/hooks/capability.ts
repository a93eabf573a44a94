import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { hookChecks } from './checks.ts';
import { hookMetrics } from './metrics.ts';
import { hookRunRecord } from './record.ts';

const purge: Job = {
  name: 'purge-hook-runs',
  description: 'Removes hook calls that failed for good over 30 days ago',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: removerOf([hookRunRecord]),
};

/** Files of the operator that run before and after changes (storefront-domain 19). */
export const hooks = capability({
  name: 'hooks',
  records: [hookRunRecord],
  jobs: [purge],
  checks: hookChecks,
  metrics: hookMetrics,
  // Files that do not load keep a server from starting.
  start: async (ctx) => void (await ctx.hooks.load()),
});
