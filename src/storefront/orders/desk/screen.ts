import { storeScreen } from '#platform/admin/index.ts';
import { contentsOf, lacksLicenses } from './contents.ts';
import { StoreOrderSummaryView } from './view.ts';
import { money, toneOf } from './words.ts';

/** Orders in the panel. */
export const orderScreen = storeScreen(StoreOrderSummaryView, {
  path: '/store/orders',
  area: 'store',
  order: 30,
  title: ({ orderNumber, id }) => orderNumber ?? id,
  columns: {
    orderNumber: { label: 'Number', kind: 'code', value: ({ orderNumber, id }) => orderNumber ?? id },
    placedAt: { label: 'Placed', kind: 'date', sort: 'placed' },
    email: { label: 'Customer' },
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
    returnStatus: {
      label: 'Return',
      kind: 'status',
      tone: ({ returnStatus }) => toneOf(returnStatus),
      hidden: true,
    },
    source: { hidden: true },
    tags: { kind: 'tags' },
    riskLevel: {
      label: 'Risk',
      kind: 'status',
      tone: ({ riskLevel }) => toneOf(riskLevel),
    },
    review: { label: 'Review', kind: 'status', tone: ({ review }) => toneOf(review ?? ''), hidden: true },
    createdAt: { label: 'Created', kind: 'date', sort: 'created', hidden: true },
    updatedAt: { label: 'Changed', kind: 'date', sort: 'updated', hidden: true },
  },
  facts: {
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    paymentStatus: { label: 'Payment', kind: 'status', tone: ({ paymentStatus }) => toneOf(paymentStatus) },
    fulfillmentStatus: {
      label: 'Fulfillment',
      kind: 'status',
      tone: ({ fulfillmentStatus }) => toneOf(fulfillmentStatus),
    },
    email: { label: 'Email' },
    placedAt: { label: 'Placed', kind: 'date' },
    invoiceNumber: {
      label: 'Invoice',
      kind: 'code',
      link: ({ id, placedAt }) => (placedAt === null ? null : `/api/store/orders/${id}/invoice.pdf`),
    },
    source: {},
    processor: { label: 'Pays by' },
    tags: { kind: 'tags' },
    internalNote: { label: 'Internal note' },
    riskLevel: {
      label: 'Risk',
      kind: 'status',
      tone: ({ riskLevel }) => toneOf(riskLevel),
    },
    review: { kind: 'status', tone: ({ review }) => toneOf(review ?? '') },
    holdReason: { label: 'On hold because' },
    cancelReason: { label: 'Cancelled because' },
    id: {},
  },
  labels: {
    internalNote: 'Internal note',
    visibleToCustomer: 'The customer sees it',
    body: 'Note',
    notify: 'Write to the customer',
    template: 'Email',
  },
  fields: {
    internalNote: { kind: 'textarea', help: 'Only staff see it.' },
    body: { kind: 'textarea' },
    visibleToCustomer: { help: 'Otherwise only staff see the note.' },
    reason: { help: 'For the history of the order.' },
    refund: { help: 'full: everything that was paid goes back to where it came from.' },
    restock: { help: 'Goods go back into stock, unless you say no.' },
    notify: { help: 'The customer gets an email, unless you say no.' },
    template: { help: 'An email that this order has had already.' },
    force: { help: 'Also while units are not shipped, or money is due.' },
  },
  verdicts: {
    notes: () => ({ text: 'The note was added.', isGood: true }),
    emails: () => ({ text: 'The email is sent again. The email log shows when it has left.', isGood: true }),
  },
  undo: { hold: 'release' },
  tabs: {
    contents: {
      label: 'Items and totals',
      template: 'store/order-contents',
      load: (ctx, { id }) => contentsOf(ctx, id),
    },
    shipments: { label: 'Shipments', of: 'shop-order-shipments', named: ({ id }) => ({ orderId: id }) },
    payments: { label: 'Payments', of: 'shop-order-payments', named: ({ id }) => ({ orderId: id }) },
    refunds: {
      label: 'Refunds',
      of: 'shop-order-refunds',
      named: ({ id }) => ({ orderId: id }),
      links: ({ id }) => [
        { label: 'Refund', href: `/store/orders/${id}/refund`, needs: 'orders:refund' } as const,
      ],
    },
    downloads: { label: 'Downloads', of: 'shop-order-downloads', named: ({ id }) => ({ orderId: id }) },
    returns: { label: 'Returns', of: 'shop-returns', filters: ({ id }) => ({ orderId: id }) },
    licenses: {
      label: 'Licenses',
      of: 'license-grants',
      filters: ({ id }) => ({ orderId: id }),
      empty: 'Whoever buys a variant with a license gets it with the payment. Its licenses are listed here.',
      links: async ({ id }, ctx) =>
        (await lacksLicenses(ctx, id))
          ? [
              {
                label: 'Make what is missing',
                href: `/store/orders/${id}/licenses`,
                needs: 'orders:write',
              } as const,
            ]
          : [],
    },
    entries: { label: 'Timeline', of: 'shop-order-events', named: ({ id }) => ({ orderId: id }) },
  },
  links: [{ label: 'New order', href: '/store/orders/new', needs: 'orders:write' }],
  views: [
    { name: 'To review', query: 'review=waiting' },
    { name: 'To be shipped', query: 'status=processing&fulfillmentStatus=unfulfilled,partially_fulfilled' },
    { name: 'Waiting for money', query: 'status=pending' },
    { name: 'On hold', query: 'status=on_hold' },
    { name: 'Drafts', query: 'placed=false&status=draft' },
    { name: 'Not placed', query: 'placed=false' },
  ],
  empty: {
    text: 'An order is what a shopper bought. Orders show up here once they are placed.',
    docs: 'work-on-orders',
    cli: null,
  },
});
