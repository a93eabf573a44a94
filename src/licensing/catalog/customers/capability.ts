import { capability } from '#kernel/capability.ts';
import { customerEvents } from './events.ts';
import { customerRecord } from './record.ts';

/** Who holds licenses. */
export const customers = capability({
  name: 'customers',
  events: [customerEvents],
  records: [customerRecord],
});
