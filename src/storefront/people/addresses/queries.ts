import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { type CustomerAddress, customerAddressRecord } from './record.ts';

/** Addresses of customers, for staff. */
export const customerAddressRows = selection<CustomerAddress>({
  from: ({ db }) => db.knex(customerAddressRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: customerAddressRecord.read,
  filters: {
    customerId: filter.lookup({ label: 'Customer', column: 'customer_id', resource: 'shop-customers' }),
  },
  sorts: { created: 'created_at' },
  initial: 'created',
});
