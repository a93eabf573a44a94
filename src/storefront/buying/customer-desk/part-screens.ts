import { storeScreen } from '#platform/admin/index.ts';
import { money, StoreOrderSummaryView, toneOf } from '#storefront/orders/desk/index.ts';
import { CustomerNoteView } from './view.ts';

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
  empty: { text: 'This customer has not ordered anything yet.', docs: 'customers', cli: null },
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
  empty: { text: 'A note is for other staff. The customer never sees it.', docs: 'customers', cli: null },
});
