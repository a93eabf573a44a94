import type { Job } from '#kernel/capability.ts';
import { countChanges } from './fold.ts';
import { sendDue } from './schedules/schedules.ts';

/** Keeps the tables of reports (decision 0088). */
export const countReports: Job = {
  name: 'count-reports',
  description: 'Adds new and changed orders to the report figures',
  everySeconds: 10,
  run: countChanges,
};

/** Reports by email (decision 0093). */
export const sendReports: Job = {
  name: 'send-reports',
  description: 'Emails scheduled reports to staff',
  everySeconds: 60,
  run: sendDue,
};
