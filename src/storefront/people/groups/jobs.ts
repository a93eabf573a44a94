import type { Job } from '#kernel/capability.ts';
import { settleGroups } from './settling.ts';

/** Whom a rule is about changes with orders and with time, too. */
export const refreshCustomerGroups: Job = {
  name: 'refresh-customer-groups',
  description: 'Updates the members of customer groups with rules',
  everySeconds: 600,
  run: settleGroups,
};
