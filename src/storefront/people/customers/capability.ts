import { capability } from '#kernel/capability.ts';
import { shopCustomerEvents } from './events.ts';
import { customerNoteRecord, shopCustomerRecord } from './record.ts';

/** Who buys in the shop. */
export const shopCustomers = capability({
  name: 'shop-customers',
  events: [shopCustomerEvents],
  records: [shopCustomerRecord, customerNoteRecord],
});
