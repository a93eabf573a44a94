import { capability } from '#kernel/capability.ts';
import { roleEvents } from './events.ts';
import { roleRecord } from './record.ts';
import { roleResource } from './resource.ts';

/** What staff may do, and which rows they may see. */
export const roles = capability({
  name: 'roles',
  events: [roleEvents],
  records: [roleRecord],
  resources: [roleResource],
});
