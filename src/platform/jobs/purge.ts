import type { Job } from '#kernel/capability.ts';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { jobRunRecord } from '#kernel/jobs/runs/record.ts';

/** Forgets what jobs did long ago. */
export const purgeRuns: Job = {
  name: 'purge-runs',
  description: 'Removes runs of jobs from their history after 30 days',
  everySeconds: SECONDS_PER_DAY,
  waitsAfterClockStep: true,
  run: removerOf([jobRunRecord]),
};
