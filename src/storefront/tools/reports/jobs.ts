import type { Job } from '#kernel/capability.ts';
import { countChanges } from './fold.ts';
import { sendDue } from './schedules/schedules.ts';

/** Keeps the tables of reports (decision 0088). */
export const countReports: Job = {
  name: 'count-reports',
  description: 'Adds orders that were placed or have changed to the figures of reports',
  everySeconds: 10,
  run: countChanges,
};

/** Reports by email (decision 0093). */
export const sendReports: Job = {
  name: 'send-reports',
  description: 'Emails reports to members of staff at the times that they chose',
  everySeconds: 60,
  run: sendDue,
};
