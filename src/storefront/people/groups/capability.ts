import { capability } from '#kernel/capability.ts';
import { groupEvents } from './events.ts';
import { refreshCustomerGroups } from './jobs.ts';
import { customerGroupRecord, groupMemberRecord } from './record.ts';
import { customerGroupResource } from './resource.ts';

/** Customers who have something in common. */
export const shopCustomerGroups = capability({
  name: 'customer-groups',
  events: [groupEvents],
  resources: [customerGroupResource],
  jobs: [refreshCustomerGroups],
  records: [customerGroupRecord, groupMemberRecord],
});
