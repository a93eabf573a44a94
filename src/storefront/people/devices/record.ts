import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Browsers in which a customer has signed in: the next sign-in there is no news to them (decision 0091). */
export const customerDeviceRecord = record(
  'customer_devices',
  {
    id: column.id(ids.customerDevice),
    customerId: column.id(ids.customer).references('customers'),
    /** SHA-256 of what the cookie of the browser carries. */
    tokenHash: column.text(64, 64).secret(),
    userAgent: column.text(300).nullable().personal(),
    createdAt: column.time(),
    /** When the customer signed in there last. */
    updatedAt: column.time(),
  },
  {
    natural: ['customerId', 'tokenHash'],
    whose: { ids: { customerId: 'customers' }, goes: true },
    kept: 'of each customer the last fifty that signed in',
  },
);
export type CustomerDevice = ValuesOf<typeof customerDeviceRecord>;
