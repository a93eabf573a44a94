import { storeScreen } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import * as orders from '../orders/index.ts';
import { OFFLINE_METHODS, offlineLabels } from '../payments/index.ts';
import { eventWords } from './event-words.ts';
import { OrderEventView, ProcessorEventView, StorePaymentView, StoreRefundView } from './part-views.ts';
import { money, processorWords, refundToWords, stateWords, toneOf } from './words.ts';

/** What was paid for an order, in the panel. */
export const paymentScreen = storeScreen(StorePaymentView, {
  path: '/store/orders/{orderId}/payments',
  area: 'store',
  nav: null,
  title: ({ methodLabel, id }) => methodLabel ?? id,
  home: ({ orderId = '' }) => ({ label: 'Back to the order', href: `/store/orders/${orderId}?tab=payments` }),
  initial: async (ctx, { orderId = '' }) => {
    const order = await orders.get(ctx, orderId);
    const due = Math.max(0, orders.settlement(order));
    return {
      ...(due > 0 && { amountCents: due }),
      ...(order.processor === 'offline' && { method: 'bank_transfer' }),
    };
  },
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    methodLabel: {
      label: 'Method',
      value: ({ methodLabel, processor }) => methodLabel ?? processorWords(processor),
    },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    amount: {
      label: 'Amount',
      kind: 'number',
      value: ({ amountCents, currency }) => money(amountCents, currency),
    },
    captured: {
      label: 'Captured',
      kind: 'number',
      value: ({ capturedCents, currency }) => money(capturedCents, currency),
    },
    refunded: {
      label: 'Refunded',
      kind: 'number',
      value: ({ refundedCents, currency }) => money(refundedCents, currency),
    },
    errorMessage: { label: 'Problem', value: ({ errorMessage, errorCode }) => errorMessage ?? errorCode },
  },
  facts: {
    methodLabel: { label: 'Method' },
    processor: { value: ({ processor }) => processorWords(processor) },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    amount: { label: 'Amount', value: ({ amountCents, currency }) => money(amountCents, currency) },
    authorized: {
      label: 'Authorized',
      value: ({ authorizedCents, currency }) => money(authorizedCents, currency),
    },
    captured: { label: 'Captured', value: ({ capturedCents, currency }) => money(capturedCents, currency) },
    refunded: { label: 'Refunded', value: ({ refundedCents, currency }) => money(refundedCents, currency) },
    expiresAt: { label: 'Can be captured until', kind: 'date' },
    dispute: { label: 'Dispute' },
    transactionId: { label: 'At the processor', kind: 'code' },
    errorMessage: { label: 'Problem' },
    createdAt: { label: 'When', kind: 'date' },
    id: {},
  },
  labels: { amountCents: 'Amount', receivedAt: 'Received' },
  fields: {
    amountCents: { written: asAmount, example: '50.00' },
    method: {
      options: OFFLINE_METHODS.map((value) => ({ value, label: offlineLabels[value] })),
    },
    reference: { help: 'Such as the number of the check or transfer.' },
    receivedAt: { help: 'Empty: now.' },
  },
  empty: {
    text: 'Payments come from a processor or a gift card, or are recorded by staff.',
    docs: 'work-on-orders',
    cli: null,
  },
});

const creditNoteOf = (one: {
  readonly orderId: string;
  readonly id: string;
  readonly creditNoteNumber: string | null;
}): string | null =>
  one.creditNoteNumber === null ? null : `/api/store/orders/${one.orderId}/refunds/${one.id}/credit-note.pdf`;

/** What went back of an order, in the panel. */
export const refundScreen = storeScreen(StoreRefundView, {
  path: '/store/orders/{orderId}/refunds',
  area: 'store',
  nav: null,
  title: ({ refundNumber }) => refundNumber,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    refundNumber: { label: 'Number', kind: 'code' },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    amount: {
      label: 'Amount',
      kind: 'number',
      value: ({ amountCents, currency }) => money(amountCents, currency),
    },
    to: { label: 'To', value: ({ to }) => refundToWords(to) },
    reason: {},
    actor: { label: 'By' },
    creditNoteNumber: {
      label: 'Credit note',
      kind: 'code',
      link: creditNoteOf,
    },
    error: { label: 'Problem' },
  },
  facts: {
    refundNumber: { label: 'Number', kind: 'code' },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    amount: { label: 'Amount', value: ({ amountCents, currency }) => money(amountCents, currency) },
    goods: { label: 'For items', value: ({ itemsCents, currency }) => money(itemsCents, currency) },
    shipping: {
      label: 'For shipping',
      value: ({ shippingCents, currency }) => money(shippingCents, currency),
    },
    adjustment: {
      label: 'For anything else',
      value: ({ adjustmentCents, currency }) => money(adjustmentCents, currency),
    },
    tax: { label: 'Tax included', value: ({ taxCents, currency }) => money(taxCents, currency) },
    units: {
      label: 'Units',
      value: ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0) || null,
    },
    to: { label: 'To', value: ({ to }) => refundToWords(to) },
    reason: {},
    actor: { label: 'By' },
    creditNoteNumber: { label: 'Credit note', kind: 'code', link: creditNoteOf },
    processorRefundId: { label: 'At the processor', kind: 'code' },
    error: { label: 'Problem' },
    createdAt: { label: 'When', kind: 'date' },
    id: {},
  },
  without: ['refund'],
  empty: {
    text: 'Refunds return money of this order to the customer.',
    docs: 'work-on-orders',
    cli: null,
  },
});

/** The history of an order in the panel. */
export const orderEventScreen = storeScreen(OrderEventView, {
  path: '/store/orders/{orderId}/events',
  area: 'store',
  nav: null,
  title: ({ id }) => id,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    type: { label: 'What' },
    change: {
      label: 'Change',
      value: ({ from, to }) =>
        from === null || to === null || from === to ? null : `${stateWords(from)} → ${stateWords(to)}`,
    },
    body: { label: 'Note', value: eventWords },
    visibleToCustomer: { label: 'Visible to customer', kind: 'flag' },
    actor: { label: 'By', value: ({ actor, actorType }) => actor ?? actorType },
  },
  empty: {
    text: 'All changes of an order, its payments and shipments, and staff notes.',
    docs: 'work-on-orders',
    cli: null,
  },
});

/** What processors have reported, in the panel. */
export const reportScreen = storeScreen(ProcessorEventView, {
  path: '/store/payment-events',
  area: 'store',
  order: 35,
  title: ({ processorEventId }) => processorEventId,
  columns: {
    createdAt: { label: 'When', kind: 'date', sort: 'created' },
    processor: {},
    type: { kind: 'code' },
    orderNumber: {
      label: 'Order',
      kind: 'code',
      link: ({ orderNumber }) => (orderNumber === null ? null : `/store/orders/${orderNumber}`),
    },
    status: { kind: 'status', tone: ({ status }) => toneOf(status) },
    attempts: { kind: 'number' },
    error: { label: 'Problem' },
  },
  views: [{ name: 'Failed', query: 'status=failed' }],
  empty: {
    text: 'Notifications from payment processors appear here.',
    docs: 'work-on-orders',
    cli: null,
  },
});
