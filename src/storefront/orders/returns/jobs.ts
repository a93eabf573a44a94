import type { Job } from '#kernel/capability.ts';
import { expireReturns } from './decide.ts';

export const expireReturnsJob: Job = {
  name: 'expire-returns',
  description: 'Expires approved returns that did not arrive within a week of the send-by date',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expireReturns,
};
