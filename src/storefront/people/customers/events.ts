import { change, defineEvents, event } from '#kernel/events.ts';
import { type Customer, shopCustomerRecord } from './record.ts';

/** What the timeline keeps: no name and no address, which an erasure would leave there. */
type CustomerTold = Pick<Customer, 'status'>;

/** What happens to customers, by the names that webhooks know (storefront-domain 18). */
export const shopCustomerEvents = defineEvents(
  'store',
  {
    'customer.created': event<CustomerTold>(),
    'customer.updated': event<CustomerTold>(),
    /** Of somebody without an account: receivers of webhooks are told of accounts alone. */
    'customer.guest_changed': change<CustomerTold>(),
  },
  { target: 'shop-customers', record: shopCustomerRecord },
);
