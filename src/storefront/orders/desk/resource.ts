import { z } from 'zod';
import { optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering } from '#platform/admin/index.ts';
import * as documents from '../documents/index.ts';
import * as orders from '../orders/index.ts';
import * as payments from '../payments/index.ts';
import { change } from './change.ts';
import * as desk from './desk.ts';
import { eventView, OrderEventView, RefundableView, refundableView } from './part-views.ts';
import { cancelWords } from './previews.ts';
import { orderRows } from './queries.ts';
import * as review from './review.ts';
import { Cancelling, Completing, Holding, Noting, OrderUpdate, Rejecting, SendingAgain } from './schemas.ts';
import { orderScreen } from './screen.ts';
import { sendAgain } from './send-again.ts';
import { StoreOrderSummaryView, StoreOrderView, storeOrderSummaryView, storeOrderView } from './view.ts';

type Order = orders.Order;

const needs = { read: 'orders:read', write: 'orders:write' } as const;
/** Of an action on one order. */
const common = { needs: needs.write, where: 'row' } as const;
/** Of a document of one order. */
const paper = {
  needs: needs.read,
  where: 'row',
  level: 'mild',
  method: 'get',
  file: { type: 'application/pdf' },
} as const;
const Bare = z.strictObject({});
const EmailSent = z.object({ email_log_id: z.string() }).meta({ id: 'OrderEmailSent' });
const DocumentQuery = z.object({ number: text({ min: 1, max: 30 }) });
/** Ids or numbers with commas between them. */
const PackingSlipsQuery = later(() =>
  z.object({
    ids: text({ min: 1, max: 3200 })
      .transform((listed) => listed.split(','))
      .pipe(z.array(text({ min: 1, max: 40 })).max(100, 'has more than 100 orders: request them in parts')),
  }),
);
const PackingSlipQuery = z.object({ shipment_id: optional(text({ min: 1, max: 30 })) });

const allows =
  (trigger: orders.Trigger) =>
  ({ status }: Order): boolean =>
    orders.allowedIn(status).includes(trigger);

/** What staff do with orders (storefront-api.md, V). */
export const orderResource = adminResource<Order, never, typeof OrderUpdate>({
  name: 'shop-orders',
  labels: { one: 'order', many: 'orders' },
  about: 'Orders with their payments, items and history',
  needs,
  screen: orderScreen,
  rows: orderRows,
  get: (ctx, idOrNumber) => orders.get(ctx, idOrNumber),
  edit: {
    schema: OrderUpdate,
    summary: 'Change addresses, email, tags or the internal note of an order',
    run: change,
  },
  actions: {
    hold: action<Order, typeof Holding>({
      ...common,
      label: 'Put on hold',
      summary: 'Put an order on hold; it cannot be shipped until it is released',
      level: 'moderate',
      input: Holding,
      when: allows('hold'),
      run: (ctx, id, { reason }) => desk.hold(ctx, id, reason),
    }),
    release: action<Order, typeof Bare>({
      ...common,
      label: 'Release',
      summary: 'Release an order that is on hold',
      level: 'mild',
      input: Bare,
      when: allows('release'),
      run: (ctx, id) => desk.release(ctx, id),
    }),
    approve: action<Order, typeof Bare>({
      ...common,
      label: 'Approve',
      summary: 'Approve an order that waits for review; authorized money is captured',
      level: 'moderate',
      rehearsable: false,
      input: Bare,
      when: ({ review }) => review === 'waiting',
      run: (ctx, id) => review.approve(ctx, id),
    }),
    reject: action<Order, typeof Rejecting>({
      ...common,
      label: 'Reject',
      summary: 'Reject an order that waits for review; it is canceled and refunded',
      level: 'severe',
      rehearsable: false,
      input: Rejecting,
      when: ({ review }) => review === 'waiting',
      run: (ctx, id, { reason }) => review.reject(ctx, id, reason),
    }),
    complete: action<Order, typeof Completing>({
      ...common,
      label: 'Complete',
      summary: 'Complete an order; with force, even with unshipped units or an amount due',
      level: 'moderate',
      input: Completing,
      when: allows('complete'),
      run: (ctx, id, { force = false }) => desk.complete(ctx, id, force),
    }),
    cancel: action<Order, typeof Cancelling>({
      ...common,
      label: 'Cancel',
      summary:
        'Cancel an order, or its unshipped items. Items go back into stock. Gift card payments are returned if nothing was shipped. Other payments are refunded only on request',
      level: 'moderate',
      input: Cancelling,
      when: allows('cancel'),
      preview: cancelWords,
      run: (ctx, id, { reason, refund = 'none', restock = true, notify }) =>
        desk.cancel(ctx, id, { reason, refund, restock, notify }),
    }),
    notes: answering<Order, typeof OrderEventView, typeof Noting>({
      ...common,
      label: 'Add note',
      summary: 'Add a note to the history of an order',
      level: 'mild',
      status: 201,
      input: Noting,
      output: OrderEventView,
      run: async (ctx, id, { body, visibleToCustomer = false }) =>
        eventView(await desk.addNote(ctx, id, { body, visibleToCustomer })),
    }),
    invoice: {
      ...paper,
      path: '/invoice.pdf',
      label: 'Invoice',
      summary: 'Download the invoice of an order as PDF',
      run: async (ctx, id) => documents.asDownload(await documents.invoiceDocument(ctx, id)),
    },
    document: {
      ...paper,
      path: '/document.pdf',
      label: 'Document',
      summary: 'Download an invoice or credit note of an order by its number',
      query: DocumentQuery,
      run: async (ctx, id, { number }: z.output<typeof DocumentQuery>) =>
        documents.asDownload(await documents.numberedDocument(ctx, id, number)),
    },
    'packing-slips': {
      ...paper,
      where: 'page',
      path: '/packing-slips.pdf',
      label: 'Packing slips',
      summary: 'Download the packing slips of up to 100 orders as one PDF',
      query: PackingSlipsQuery,
      run: async (ctx, _id, { ids }: z.output<typeof PackingSlipsQuery>) =>
        documents.asDownload(await documents.packingSlipsDocument(ctx, ids)),
    },
    'packing-slip': {
      ...paper,
      path: '/packing-slip.pdf',
      label: 'Packing slip',
      summary: 'Download the packing slip of a shipment, or of the order',
      query: PackingSlipQuery,
      run: async (ctx, id, { shipment_id }: z.output<typeof PackingSlipQuery>) =>
        documents.asDownload(await documents.packingSlipDocument(ctx, id, shipment_id)),
    },
    emails: answering<Order, typeof EmailSent, typeof SendingAgain>({
      ...common,
      label: 'Send email again',
      summary: 'Resend an email about an order; for shipments and refunds, the latest one',
      level: 'moderate',
      input: SendingAgain,
      output: EmailSent,
      when: ({ placedAt }) => placedAt !== null,
      run: async (ctx, id, { template }) => ({ email_log_id: await sendAgain(ctx, id, template) }),
    }),
    refundable: answering<Order, typeof RefundableView>({
      needs: needs.read,
      where: 'row',
      label: 'Refundable amounts',
      summary: 'Show what can still be refunded for an order',
      level: 'mild',
      method: 'get',
      output: RefundableView,
      run: async (ctx, id) => refundableView(await payments.refundable(ctx, await orders.get(ctx, id))),
    }),
  },
  palette: {
    title: ({ orderNumber, id }) => `Order ${orderNumber ?? id}`,
    hint: ({ email }) => email,
  },
  apis: [
    {
      surface: 'store',
      path: '/orders',
      item: 'order',
      type: 'StoreOrder',
      view: StoreOrderSummaryView,
      toView: storeOrderSummaryView,
      details: { view: StoreOrderView, toView: storeOrderView },
      answers: 'details',
      without: ['bulk'],
    },
  ],
});
