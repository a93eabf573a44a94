import { containsPattern, elementsOf, likeSql } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { ordersNamedBy } from '#storefront/contract/extensions.ts';
import { invoiceRecord } from '../documents/index.ts';
import {
  FULFILLMENT_STATUSES,
  ORDER_EVENT_TYPES,
  ORDER_STATUSES,
  type Order,
  type OrderEvent,
  orderAddressRecord,
  orderEventRecord,
  orderItemRecord,
  orderRecord,
  PAYMENT_STATUSES,
  RETURN_STATUSES,
  REVIEW_STATES,
  SOURCES,
} from '../orders/index.ts';
import {
  INBOX_STATES,
  type Payment,
  type ProcessorEvent,
  paymentRecord,
  processorEventRecord,
  type Refund,
  refundRecord,
} from '../payments/index.ts';

/** Orders for staff. One that was never placed is nobody's work: it shows up when somebody asks for it. */
export const orderRows = selection<Order>({
  from: ({ db }) => db.knex(orderRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: orderRecord.read,
  filters: {
    status: filter.choice(ORDER_STATUSES, { label: 'Status', column: 'status' }),
    paymentStatus: filter.choice(PAYMENT_STATUSES, { label: 'Payment', column: 'payment_status' }),
    fulfillmentStatus: filter.choice(FULFILLMENT_STATUSES, {
      label: 'Fulfillment',
      column: 'fulfillment_status',
    }),
    returnStatus: filter.choice(RETURN_STATUSES, { label: 'Return', column: 'return_status' }),
    source: filter.choice(SOURCES, { label: 'Source', column: 'source' }),
    review: filter.choice(REVIEW_STATES, { label: 'Review', column: 'review' }),
    customerId: filter.lookup({ label: 'Customer', column: 'customer_id', resource: 'shop-customers' }),
    tag: filter.text({
      label: 'Tag',
      column: (query, tag, { db }) =>
        void query.whereExists(elementsOf(db.knex, 'orders.tags').where('element', tag)),
    }),
    placed: filter.flag({
      label: 'Placed',
      column: (query, isPlaced) => void query[isPlaced ? 'whereNotNull' : 'whereNull']('placed_at'),
    }),
    '': filter.times({ label: 'Placed', column: 'placed_at' }),
  },
  unasked: { placed: true },
  search: {
    placeholder: 'Number, invoice, email, name, SKU or license key',
    by: async (query, text, ctx) => {
      const { db } = ctx;
      const delivered = await ordersNamedBy(ctx, text);
      const like = likeSql(query, text);
      const pattern = containsPattern(text);
      const named = db.knex(orderItemRecord.table).whereRaw(like, ['sku', pattern]).select('order_id');
      const people = db.knex(orderAddressRecord.table).select('order_id');
      // A first and a last name, in whatever order.
      for (const word of text.split(/\s+/).filter(Boolean))
        people.where((one) => {
          for (const column of ['first_name', 'last_name', 'company'])
            one.orWhereRaw(like, [column, containsPattern(word)]);
        });
      const invoiced = db
        .knex(invoiceRecord.table)
        .whereRaw(like, ['invoice_number', pattern])
        .select('order_id');
      query.where((any) => {
        any.whereIn('id', named).orWhereIn('id', delivered).orWhereIn('id', people).orWhereIn('id', invoiced);
        for (const column of ['order_number', 'email']) any.orWhereRaw(like, [column, pattern]);
      });
    },
  },
  sorts: {
    placed: { column: 'placed_at', isNullable: true },
    created: 'created_at',
    updated: 'updated_at',
    total: 'total_cents',
  },
  initial: '-placed',
});

export const orderEventRows = selection<OrderEvent>({
  from: ({ db }) => db.knex(orderEventRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: orderEventRecord.read,
  filters: {
    orderId: filter.lookup({ label: 'Order', column: 'order_id', resource: 'shop-orders' }),
    type: filter.choice(ORDER_EVENT_TYPES, { label: 'Type', column: 'type' }),
  },
  sorts: { created: 'created_at' },
  initial: '-created',
});

export const paymentRows = selection<Payment>({
  from: ({ db }) => db.knex(paymentRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: paymentRecord.read,
  filters: { orderId: filter.lookup({ label: 'Order', column: 'order_id', resource: 'shop-orders' }) },
  sorts: { created: 'created_at' },
  initial: 'created',
});

export const refundRows = selection<Refund>({
  from: ({ db }) => db.knex(refundRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: refundRecord.read,
  filters: { orderId: filter.lookup({ label: 'Order', column: 'order_id', resource: 'shop-orders' }) },
  sorts: { created: 'created_at' },
  initial: 'created',
});

/** A report of a processor with the number of the order that it is about. */
export type ReportOf = ProcessorEvent & { readonly orderNumber: string | null };

export const reportRows = selection<ReportOf, { order_number: string | null }>({
  from: ({ db }) =>
    db
      .knex({ e: processorEventRecord.table })
      .leftJoin({ p: paymentRecord.table }, 'p.id', 'e.payment_id')
      .leftJoin({ o: orderRecord.table }, 'o.id', 'p.order_id'),
  id: 'e.id',
  scope: 'none',
  columns: ['e.*', 'o.order_number'],
  read: (row) => ({ ...processorEventRecord.read(row), orderNumber: row.order_number }),
  filters: {
    status: filter.choice(INBOX_STATES, { label: 'Status', column: 'e.status' }),
    processor: filter.text({ label: 'Processor', column: 'e.processor' }),
  },
  search: { placeholder: 'Event or order', by: ['e.processor_event_id', 'e.type', 'o.order_number'] },
  sorts: { created: 'e.created_at' },
  initial: '-created',
});
