import type { Job } from '#kernel/capability.ts';
import { countChanges } from './fold.ts';

/** Keeps the tables of reports (decision 0088). */
export const countReports: Job = {
  name: 'count-reports',
  description: 'Adds orders that were placed or have changed to the figures of reports',
  everySeconds: 10,
  run: countChanges,
};
