import { change, defineEvents, event } from '#kernel/events.ts';
import { customerRecord } from './record.ts';

/** What happens to customers, without address and name: erasing a customer must not leave them in the timeline. */
export const customerEvents = defineEvents(
  'license',
  {
    CUSTOMER_CREATED: event<Record<string, never>>(),
    CUSTOMER_UPDATED: event<{ fields?: readonly string[] }>(),
    /** One in the timeline of each of the two. */
    CUSTOMER_MERGED: change<{ into?: string; from?: string; licenses: number }>(),
    CUSTOMER_ERASED: change<{ licenses: number; events: number }>(),
  },
  { target: 'customers', record: customerRecord },
);
