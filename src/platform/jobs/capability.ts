import { capability } from '#kernel/capability.ts';
import { jobEvents } from '#kernel/jobs/events.ts';
import { jobRunRecord } from '#kernel/jobs/runs/record.ts';
import { purgeRuns } from './purge.ts';
import { jobResource, jobRunResource, taskResource } from './resource.ts';

/** What staff see of recurring and of one-off work. */
export const jobs = capability({
  name: 'jobs',
  records: [jobRunRecord],
  events: [jobEvents],
  jobs: [purgeRuns],
  resources: [jobResource, jobRunResource, taskResource],
});
