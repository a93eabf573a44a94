import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering, type How } from '#platform/admin/index.ts';
import * as documents from '../documents/index.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import * as desk from './desk.ts';
import { orderEventScreen, paymentScreen, refundScreen, reportScreen } from './part-screens.ts';
import {
  eventView,
  OrderEventView,
  ProcessorEventView,
  processorEventView,
  StorePaymentView,
  StoreRefundView,
  storePaymentView,
  storeRefundView,
} from './part-views.ts';
import { captureWords, voidWords } from './previews.ts';
import { orderEventRows, paymentRows, type ReportOf, refundRows, reportRows } from './queries.ts';
import { Capturing, PaymentReceived, RefundCreate } from './schemas.ts';
import { refundPartsOf } from './view.ts';

type Payment = payments.Payment;
type Refund = payments.Refund;

const needs = { read: 'orders:read', write: 'orders:write' } as const;
const common = { needs: needs.write, where: 'row' } as const;
const Bare = z.strictObject({});

const inOrder = {
  name: 'orderId',
  filter: 'orderId',
  find: async (ctx: Ctx, idOrNumber: string) => (await orders.get(ctx, idOrNumber)).id,
};
const above = ({ named }: How): string => named.orderId ?? '';

/** What was paid for an order, for staff. */
export const paymentResource = adminResource<Payment, typeof PaymentReceived>({
  name: 'shop-order-payments',
  labels: { one: 'payment', many: 'payments' },
  about: 'Payments of an order',
  needs,
  screen: paymentScreen,
  rows: paymentRows,
  create: {
    schema: PaymentReceived,
    summary: 'Record a payment by cash, check, transfer or purchase order',
    run: (ctx, input, how) => payments.record(ctx, above(how), input),
  },
  actions: {
    capture: action<Payment, typeof Capturing>({
      ...common,
      label: 'Capture',
      summary: 'Capture an authorized payment or part of it; the rest is released',
      level: 'moderate',
      rehearsable: false,
      input: Capturing,
      preview: captureWords,
      when: ({ status, kind }) => status === 'authorized' && kind !== 'gift_card',
      run: (ctx, id, { amountCents }, how) => payments.capture(ctx, above(how), id, amountCents),
    }),
    void: action<Payment, typeof Bare>({
      ...common,
      label: 'Void',
      summary: 'Release an authorized payment without charging it',
      level: 'moderate',
      rehearsable: false,
      input: Bare,
      preview: voidWords,
      when: ({ status, kind }) => status === 'authorized' && kind !== 'gift_card',
      run: (ctx, id, _input, how) => payments.voidPayment(ctx, above(how), id),
    }),
    sync: action<Payment, typeof Bare>({
      ...common,
      label: 'Check with processor',
      summary: 'Update a payment from its processor',
      level: 'mild',
      rehearsable: false,
      input: Bare,
      when: ({ kind }) => kind === 'card' || kind === 'wallet',
      run: (ctx, id, _input, how) => desk.syncPayment(ctx, above(how), id),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/orders/{orderId}/payments',
      parent: inOrder,
      item: 'payment',
      type: 'StorePayment',
      view: StorePaymentView,
      toView: storePaymentView,
      paged: false,
      without: ['bulk', 'export'],
    },
  ],
});

const Refunded = later(() =>
  z
    .object({
      ...StoreRefundView.shape,
      also: z.array(StoreRefundView).describe('Further refunds, if several payments were refunded'),
    })
    .meta({ id: 'StoreRefunded' }),
);

async function refunded(ctx: Ctx, orderId: string, input: z.output<typeof RefundCreate>, key?: string) {
  desk.requireRefunder(ctx);
  const made = await payments.refund(ctx, orderId, { ...input, ...(key !== undefined && { key }) });
  const [first, ...also] = await refundViews(made, ctx);
  return { ...(first as z.output<typeof StoreRefundView>), also };
}

/** What went back of an order, for staff. */
export const refundResource = adminResource<Refund>({
  name: 'shop-order-refunds',
  labels: { one: 'refund', many: 'refunds' },
  about: 'Refunds of an order',
  needs: { read: 'orders:read', write: 'orders:refund', orWrite: 'orders:write' },
  screen: refundScreen,
  rows: refundRows,
  actions: {
    // Not a creation of the engine: the panel has a page of its own, which shows what is left to refund.
    refund: answering<Refund, typeof Refunded, typeof RefundCreate>({
      needs: 'orders:refund',
      or: 'orders:write',
      label: 'Refund',
      summary: 'Refund items, shipping or an amount of goodwill',
      level: 'moderate',
      where: 'page',
      path: '',
      status: 201,
      rehearsable: false,
      input: RefundCreate,
      output: Refunded,
      run: async (ctx, _id, input, how) => refunded(ctx, above(how), input, how.idempotencyKey),
    }),
    'credit-note': {
      needs: needs.read,
      where: 'row',
      level: 'mild',
      method: 'get',
      path: '/credit-note.pdf',
      file: { type: 'application/pdf' },
      label: 'Credit note',
      summary: 'Download the credit note of a refund as PDF',
      run: async (ctx, id, _input, how) =>
        documents.asDownload(await documents.creditNoteDocument(ctx, above(how), id)),
    },
  },
  apis: [
    {
      surface: 'store',
      path: '/orders/{orderId}/refunds',
      parent: inOrder,
      item: 'refund',
      type: 'StoreRefund',
      view: StoreRefundView,
      toViews: refundViews,
      paged: false,
      without: ['bulk', 'export'],
    },
  ],
});

async function refundViews(refunds: readonly Refund[], ctx: Ctx) {
  const order = refunds[0] && (await orders.findOrder(ctx, refunds[0].orderId));
  if (!order) return [];
  const parts = await refundPartsOf(ctx, order, refunds);
  return refunds.map((one) => storeRefundView(one, parts));
}

/** The history of an order, for staff. */
export const orderEventResource = adminResource<orders.OrderEvent>({
  name: 'shop-order-events',
  labels: { one: 'entry', many: 'entries' },
  about: 'The history of an order',
  needs,
  screen: orderEventScreen,
  rows: orderEventRows,
  apis: [
    {
      surface: 'store',
      path: '/orders/{orderId}/events',
      parent: inOrder,
      item: 'entry',
      type: 'OrderEvent',
      view: OrderEventView,
      toView: eventView,
      without: ['get', 'bulk', 'export'],
    },
  ],
});

/** What payment processors have reported, for staff. */
export const reportResource = adminResource<ReportOf>({
  name: 'shop-payment-events',
  labels: { one: 'payment event', many: 'payment events' },
  about: 'Events from payment processors',
  needs,
  screen: reportScreen,
  rows: reportRows,
  actions: {
    retry: action<ReportOf, typeof Bare>({
      ...common,
      label: 'Try again',
      summary: "Process a payment processor's notification again",
      level: 'mild',
      rehearsable: false,
      input: Bare,
      when: ({ status }) => status === 'failed' || status === 'received',
      run: async (ctx, id) => {
        await desk.retryReport(ctx, id);
        return (await reportRows.find(ctx, id)) as ReportOf;
      },
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/payment-events',
      item: 'event',
      type: 'ProcessorEvent',
      view: ProcessorEventView,
      toView: processorEventView,
      without: ['bulk', 'export'],
    },
  ],
});
