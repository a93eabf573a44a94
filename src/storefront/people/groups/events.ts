import { change, defineEvents } from '#kernel/events.ts';
import { type CustomerGroup, customerGroupRecord } from './record.ts';

type Told = Pick<CustomerGroup, 'name' | 'taxExempt' | 'priceListId'>;

/** What happens to groups of customers. */
export const groupEvents = defineEvents(
  'store',
  {
    'customer_group.created': change<Told>(),
    'customer_group.updated': change<Told>(),
    'customer_group.deleted': change<Told>(),
    /** By hand; a rule moves members without a word. */
    'customer_group.members_changed': change<{ readonly added: number; readonly removed: number }>(),
  },
  { target: 'customer-groups', record: customerGroupRecord },
);
