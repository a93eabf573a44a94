import { storeScreen } from '#platform/admin/index.ts';
import { mailVerdict } from '#platform/mail/index.ts';
import { contentsOf, lacksLicenses } from './contents.ts';
import { StoreOrderSummaryView } from './view.ts';
import { money, processorWords, toneOf } from './words.ts';

/** Orders in the panel. */
export const orderScreen = storeScreen(StoreOrderSummaryView, {
  path: '/store/orders',
  words: 'refund invoice credit note payment sale',
  area: 'store',
  order: 30,
  title: ({ orderNumber, id }) => orderNumber ?? id,
  heading: ({ orderNumber, status, email, totalCents, currency }) =>
    [
      status === 'draft' || orderNumber === null ? 'Draft order' : `Order ${orderNumber}`,
      email,
      money(totalCents, currency),
    ].join(' · '),
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
    processor: { label: 'Payment method', value: ({ processor }) => processor && processorWords(processor) },
    tags: { kind: 'tags' },
    internalNote: { label: 'Internal note' },
    riskLevel: {
      label: 'Risk',
      kind: 'status',
      tone: ({ riskLevel }) => toneOf(riskLevel),
    },
    review: { kind: 'status', tone: ({ review }) => toneOf(review ?? '') },
    holdReason: { label: 'Reason for hold' },
    cancelReason: { label: 'Reason for cancellation' },
    id: {},
  },
  labels: {
    internalNote: 'Internal note',
    visibleToCustomer: 'Visible to the customer',
    body: 'Note',
    notify: 'Notify the customer',
    template: 'Email',
  },
  fields: {
    internalNote: { kind: 'textarea', help: 'Only staff see it.' },
    body: { kind: 'textarea' },
    visibleToCustomer: { help: 'Otherwise only staff see the note.' },
    reason: { help: 'For the history of the order.' },
    refund: { help: 'full: refunds all payments to their original payment methods.' },
    restock: { help: 'Items go back into stock unless you choose no.' },
    notify: { help: 'The customer gets an email unless you choose no.' },
    template: { help: 'An email that was already sent for this order.' },
    force: { help: 'Even with unshipped units or an amount due.' },
  },
  verdicts: {
    notes: () => ({ text: 'The note was added.', isGood: true }),
    emails: async (_answer, ctx) =>
      mailVerdict(ctx, 'The email will be sent again. See the email log for its status.'),
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
      empty: 'Buyers of a variant with a license get it when they pay. Its licenses appear here.',
      links: async ({ id }, ctx) =>
        (await lacksLicenses(ctx, id))
          ? [
              {
                label: 'Create missing licenses',
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
    { name: 'To ship', query: 'status=processing&fulfillmentStatus=unfulfilled,partially_fulfilled' },
    { name: 'Awaiting payment', query: 'status=pending' },
    { name: 'On hold', query: 'status=on_hold' },
    { name: 'Drafts', query: 'placed=false&status=draft' },
    { name: 'Not placed', query: 'placed=false' },
  ],
  empty: {
    text: 'Orders appear here when shoppers place them.',
    docs: 'work-on-orders',
    cli: null,
  },
});
