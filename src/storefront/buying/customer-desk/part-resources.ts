import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { adminResource, type How } from '#platform/admin/index.ts';
import { customerSessionRows, type ListedSession } from '#platform/sessions/index.ts';
import { orderRows, StoreOrderSummaryView, storeOrderSummaryView } from '#storefront/orders/desk/index.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import { endSession } from '#storefront/people/accounts/index.ts';
import {
  type CustomerAddress,
  CustomerAddressView,
  customerAddressRows,
  customerAddressView,
} from '#storefront/people/addresses/index.ts';
import { type Consent, consentRows } from '#storefront/people/consents/index.ts';
import {
  addNote,
  type CustomerNote,
  customerNoteRows,
  removeNote,
} from '#storefront/people/customers/index.ts';
import { addAddress, changeAddress, removeAddress } from './addresses.ts';
import { get } from './customers.ts';
import {
  customerAddressScreen,
  customerConsentScreen,
  customerNoteScreen,
  customerOrderScreen,
  customerSessionScreen,
} from './part-screens.ts';
import { AddressCreate, AddressUpdate, Noting } from './schemas.ts';
import {
  CustomerConsentView,
  CustomerNoteView,
  consentView,
  noteView,
  StoreCustomerSessionView,
  sessionView,
} from './view.ts';

const ofCustomer = {
  name: 'customerId',
  filter: 'customerId',
  find: async (ctx: Ctx, id: string) => (await get(ctx, id)).id,
} as const;
const customerOf = ({ named }: How): string => named.customerId ?? '';

/** The orders of a customer, for staff. */
export const customerOrderResource = adminResource<Order>({
  name: 'shop-customer-orders',
  labels: { one: 'order of a customer', many: 'orders of a customer' },
  about: 'Orders of one customer',
  needs: { read: 'orders:read' },
  screen: customerOrderScreen,
  rows: orderRows,
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/orders',
      parent: ofCustomer,
      item: 'order',
      type: 'StoreCustomerOrder',
      view: StoreOrderSummaryView,
      toView: storeOrderSummaryView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});

/** What staff noted of a customer. */
export const customerNoteResource = adminResource<CustomerNote, typeof Noting>({
  name: 'customer-notes',
  labels: { one: 'note', many: 'notes' },
  about: 'Staff notes about a customer; the customer never sees them',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: customerNoteScreen,
  rows: customerNoteRows,
  create: {
    schema: Noting,
    summary: 'Add a note that only staff can see',
    run: (ctx, { body }, how) => addNote(ctx, customerOf(how), body),
  },
  remove: {
    level: 'moderate',
    summary: 'Permanently remove a note',
    run: async (ctx, id, how) => {
      const note = await customerNoteRows.find(ctx, id);
      if (note?.customerId !== customerOf(how)) throw fail('NOT_FOUND', `note ${id} does not exist`);
      await removeNote(ctx, note);
    },
  },
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/notes',
      parent: ofCustomer,
      item: 'note',
      type: 'CustomerNote',
      view: CustomerNoteView,
      toView: noteView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});

/** The address book of a customer, for staff who take orders by phone. */
export const customerAddressResource = adminResource<
  CustomerAddress,
  typeof AddressCreate,
  typeof AddressUpdate
>({
  name: 'customer-addresses',
  labels: { one: 'address', many: 'addresses' },
  about: 'The address book of a customer',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: customerAddressScreen,
  rows: customerAddressRows,
  create: {
    schema: AddressCreate,
    summary: 'Add an address for a customer; the first one becomes the default for shipping and billing',
    run: (ctx, input, how) => addAddress(ctx, customerOf(how), input),
  },
  edit: {
    schema: AddressUpdate,
    hasVersion: false,
    summary: 'Change an address of a customer; fields that are not sent stay as they are',
    run: (ctx, id, input, how) => changeAddress(ctx, customerOf(how), id, input),
  },
  remove: {
    level: 'moderate',
    summary: 'Remove an address of a customer; existing orders keep it',
    run: (ctx, id, how) => removeAddress(ctx, customerOf(how), id),
  },
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/addresses',
      parent: ofCustomer,
      item: 'address',
      type: 'StoreCustomerAddress',
      view: CustomerAddressView,
      toView: customerAddressView,
      without: ['export', 'bulk'],
    },
  ],
});

/** Where a customer is signed in, for staff who are told that somebody else is. */
export const customerSessionResource = adminResource<ListedSession>({
  name: 'customer-sessions',
  labels: { one: 'session', many: 'sessions' },
  about: 'Browsers where a customer is signed in',
  needs: { read: 'customers:read', write: 'customers:write' },
  screen: customerSessionScreen,
  rows: customerSessionRows,
  remove: {
    level: 'moderate',
    summary: 'Sign a customer out of one browser',
    run: (ctx, id, how) => endSession(ctx, customerOf(how), id),
  },
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/sessions',
      parent: ofCustomer,
      item: 'session',
      type: 'StoreCustomerSession',
      view: StoreCustomerSessionView,
      toView: sessionView,
      without: ['export', 'bulk'],
    },
  ],
});

/** What a customer agreed to, with its proof. */
export const customerConsentResource = adminResource<Consent>({
  name: 'customer-consents',
  labels: { one: 'consent', many: 'consents' },
  about: 'Consents that a customer gave and withdrew, with proof',
  needs: { read: 'customers:read' },
  screen: customerConsentScreen,
  rows: consentRows,
  apis: [
    {
      surface: 'store',
      path: '/customers/{customerId}/consents',
      parent: ofCustomer,
      item: 'consent',
      type: 'CustomerConsent',
      view: CustomerConsentView,
      toView: consentView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});
