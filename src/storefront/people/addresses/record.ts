import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Addresses of one customer. */
export const MOST_ADDRESSES = 50;

const maybe = (max: number) => column.text(max).nullable().personal();

/** The address book of a customer: at most one default of each kind (storefront-domain 4.3). */
export const customerAddressRecord = record(
  'customer_addresses',
  {
    id: column.id(ids.customerAddress),
    customerId: column.id(ids.customer).references('customers'),
    /** What the customer calls it. */
    label: maybe(60),
    firstName: maybe(100),
    lastName: maybe(100),
    company: maybe(200),
    line1: column.text(200).personal(),
    line2: maybe(200),
    city: column.text(100).personal(),
    state: column.text(100).nullable(),
    postalCode: maybe(20),
    country: column.text(2, 2),
    phone: maybe(50),
    isDefaultShipping: column.flag(),
    isDefaultBilling: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: { ids: { customerId: 'customers' }, goes: true },
    kept: 'until the customer removes them, at the latest as long as the account',
  },
);
export type CustomerAddress = ValuesOf<typeof customerAddressRecord>;
