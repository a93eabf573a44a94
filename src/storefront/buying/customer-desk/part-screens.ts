import { storeScreen } from '#platform/admin/index.ts';
import { addressLines } from '#storefront/contract/address.ts';
import { money, StoreOrderSummaryView, toneOf } from '#storefront/orders/desk/index.ts';
import { CustomerAddressView } from '#storefront/people/addresses/index.ts';
import { CustomerConsentView, CustomerNoteView, StoreCustomerSessionView } from './view.ts';

/** The orders of a customer in the panel. */
export const customerOrderScreen = storeScreen(StoreOrderSummaryView, {
  path: '/store/customers/{customerId}/orders',
  area: 'store',
  nav: null,
  title: ({ orderNumber, id }) => orderNumber ?? id,
  columns: {
    orderNumber: {
      label: 'Number',
      kind: 'code',
      value: ({ orderNumber, id }) => orderNumber ?? id,
      link: ({ id }) => `/store/orders/${id}`,
    },
    placedAt: { label: 'Placed', kind: 'date', sort: 'placed' },
    itemCount: { label: 'Items', kind: 'number' },
    total: {
      label: 'Total',
      kind: 'number',
      value: ({ totalCents, currency }) => money(totalCents, currency),
      sort: 'total',
    },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    paymentStatus: { label: 'Payment', kind: 'status', tone: ({ paymentStatus }) => toneOf(paymentStatus) },
    fulfillmentStatus: {
      label: 'Fulfillment',
      kind: 'status',
      tone: ({ fulfillmentStatus }) => toneOf(fulfillmentStatus),
    },
  },
  empty: { text: 'This customer has no orders yet.', docs: 'customers', cli: null },
});

/** Notes about a customer in the panel. */
export const customerNoteScreen = storeScreen(CustomerNoteView, {
  path: '/store/customers/{customerId}/notes',
  area: 'store',
  nav: null,
  title: ({ createdAt }) => createdAt,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    body: { label: 'Note' },
    actor: { label: 'By' },
  },
  labels: { body: 'Note' },
  fields: { body: { kind: 'textarea', help: 'Only staff see it.' } },
  empty: { text: 'Notes are for staff only. The customer never sees them.', docs: 'customers', cli: null },
});

const addressSections = [
  {
    title: 'Address',
    fields: [
      'label',
      'firstName',
      'lastName',
      'company',
      'line1',
      'line2',
      'city',
      'state',
      'postalCode',
      'country',
      'phone',
    ],
  },
  { title: 'Defaults', fields: ['isDefaultShipping', 'isDefaultBilling'] },
];

/** The address book of a customer in the panel. */
export const customerAddressScreen = storeScreen(CustomerAddressView, {
  path: '/store/customers/{customerId}/addresses',
  area: 'store',
  nav: null,
  title: ({ label, line1 }) => label ?? line1,
  columns: {
    address: { label: 'Address', value: (one) => addressLines(one, 'en').join(', ') },
    label: { label: 'Address name' },
    phone: {},
    isDefaultShipping: { label: 'Default for shipping' },
    isDefaultBilling: { label: 'Default for billing' },
  },
  labels: {
    label: 'Address name',
    firstName: 'First name',
    lastName: 'Last name',
    line1: 'Street and number',
    line2: 'Address line 2',
    postalCode: 'Postal code',
    isDefaultShipping: 'Default for shipping',
    isDefaultBilling: 'Default for billing',
  },
  fields: {
    label: { help: "The customer's name for it, such as Office." },
    country: { example: 'US', help: 'Two letters, such as DE.' },
    state: { help: 'The state code, such as CA, if the country has states.' },
  },
  sections: { create: addressSections, edit: addressSections },
  empty: {
    text: 'The customer can choose these addresses at checkout and edit them in the account.',
    docs: 'customers',
    cli: null,
  },
});

/** Where a customer is signed in, in the panel. */
export const customerSessionScreen = storeScreen(StoreCustomerSessionView, {
  path: '/store/customers/{customerId}/sessions',
  area: 'store',
  nav: null,
  title: ({ device, id }) => device || id,
  columns: {
    device: { label: 'Device', value: ({ device }) => device || 'unknown' },
    ip: { label: 'IP address' },
    createdAt: { label: 'Signed in', kind: 'date' },
    lastSeenAt: { label: 'Last seen', kind: 'ago', sort: 'seen' },
  },
  empty: { text: 'This customer is not signed in anywhere.', docs: 'customers', cli: null },
});

/** Proofs of what a customer agreed to, in the panel. */
export const customerConsentScreen = storeScreen(CustomerConsentView, {
  path: '/store/customers/{customerId}/consents',
  area: 'store',
  nav: null,
  title: ({ createdAt }) => createdAt,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    granted: {
      label: 'Choice',
      kind: 'status',
      value: ({ granted }) => (granted ? 'agreed' : 'withdrawn'),
      tone: ({ granted }) => (granted ? 'ok' : 'muted'),
    },
    source: { label: 'Where', kind: 'code' },
    text: { label: 'Text shown' },
    actor: { label: 'By', value: ({ actor, actorType }) => actor ?? actorType },
    ip: { label: 'IP address' },
  },
  empty: {
    text: 'This customer has not agreed to marketing emails. Consents appear here with their proof.',
    docs: 'customers',
    cli: null,
  },
});
