import type { Job } from '#kernel/capability.ts';
import { expireReturns } from './decide.ts';

export const expireReturnsJob: Job = {
  name: 'expire-returns',
  description: 'Ends approved returns whose goods did not come within a week of the date to send them by',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expireReturns,
};
