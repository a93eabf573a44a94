import { change, defineEvents, event, signal } from '#kernel/events.ts';
import { type Order, orderRecord } from './record.ts';

/** What every event of an order says; receivers of webhooks get the whole order. */
export type OrderTold = Pick<Order, 'orderNumber' | 'status' | 'paymentStatus'>;

/** What happens to orders, by the names that webhooks know (storefront-domain 18). */
export const orderEvents = defineEvents(
  'store',
  {
    'order.created': event<OrderTold>(),
    'order.updated': event<OrderTold>(),
    'order.shipped': event<OrderTold>(),
    'order.completed': event<OrderTold>(),
    'order.cancelled': event<OrderTold>(),
    /** Staff wrote an order that is not placed, or changed one: only they know of it. */
    'order.drafted': change<OrderTold>(),
    /** Whoever has the link can pay the order. */
    'order.payment_link_sent': change<{ readonly to: string; readonly expiresAt: string }>(),
    /** Staff had an email about it sent once more. */
    'order.emailed': change<{ readonly template: string }>(),
    /** It was placed: from now on it is an order for everybody. In the transaction that places it. */
    'order.placed': signal<{ readonly cartId: string | null }>(),
    /** Nothing is due any more; once for an order. In the transaction that brought the last of it. */
    'order.paid': signal<Record<never, never>>(),
    /** Money came for it, and nobody else is told: it was paid already, or ended, or another amount came. */
    'order.money': signal<Record<never, never>>(),
    /** Some of its units are not sent any more. In the transaction that cancels them. */
    'order.items_cancelled': signal<{
      readonly items: readonly { readonly order_item_id: string; readonly quantity: number }[];
    }>(),
    /** Staff took lines out of it. In that transaction, before they go: what refers to them lets go of them. */
    'order.lines_removed': signal<{ readonly itemIds: readonly string[] }>(),
    /** Staff gave it other contents, or more of them, after it was placed. In that transaction, with its new amounts. */
    'order.amended': signal<Record<never, never>>(),
    /** It is another customer's now: claimed, or of two customers who were merged. In that transaction. */
    'order.moved': signal<{ readonly customerId: string }>(),
    /** Money went back; once for each refund. In the transaction that counts it. */
    'order.refunded': signal<{ readonly refundId: string; readonly returnId: string | null }>(),
    /** A bank took money back, or thinks about it. In the transaction that notes it. */
    'order.disputed': signal<{
      readonly paymentId: string;
      readonly how: 'opened' | 'won' | 'lost';
    }>(),
    /** The processor refused to give money back: what was taken for it was given back. In that transaction. */
    'order.refund_failed': signal<{ readonly refundId: string; readonly returnId: string | null }>(),
    /** It has ended, placed or not: what it held is to be given back. */
    'order.ended': signal<{ readonly wasPlaced: boolean; readonly cartId: string | null }>(),
  },
  { target: 'shop-orders', record: orderRecord },
);
