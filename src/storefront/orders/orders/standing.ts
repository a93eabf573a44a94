import type { FulfillmentStatus, Order, OrderItem, PaymentStatus } from './record.ts';

/** A payment as the state of its order needs it. */
export interface PaymentFacts {
  readonly kind: 'card' | 'wallet' | 'offline' | 'gift_card';
  readonly status: string;
  readonly authorizedCents: number;
  readonly createdAt: string;
}

/** Signed: above 0 is due, below 0 is to be given back. The only place that says what is owed (storefront-domain 10). */
export const settlement = ({
  totalCents,
  paidCents,
  giftCardCents,
  refundedCents,
}: Pick<Order, 'totalCents' | 'paidCents' | 'giftCardCents' | 'refundedCents'>): number =>
  totalCents - (paidCents + giftCardCents) + refundedCents;

/**
 * Whether what an order has is to be delivered: it was paid, nothing is due, and nobody has still to look at it.
 */
export const isDeliverable = (order: Order): boolean => wasPaid(order) && settlement(order) <= 0;

/** Whether an order was paid and goes on, whatever was given back of it or is due of what came later. */
export const wasPaid = ({ paidAt, cancelledAt, review }: Order): boolean =>
  paidAt !== null && cancelledAt === null && review !== 'waiting';

const OPEN: readonly string[] = ['created', 'requires_action', 'pending'];

/** How an order is paid: it follows from its amounts and payments and is never set (storefront-domain 6.1). */
export function paymentStatusOf(order: Order, payments: readonly PaymentFacts[]): PaymentStatus {
  const { totalCents: total, refundedCents: refunded } = order;
  const paid = order.paidCents + order.giftCardCents;
  if (total === 0 && refunded === 0) return 'paid';
  if (refunded > 0) return refunded >= paid ? 'refunded' : 'partially_refunded';
  if (paid >= total) return 'paid';
  if (paid > 0) return 'partially_paid';
  return openStatus(
    total,
    payments.filter(({ kind }) => kind !== 'gift_card'),
  );
}

function openStatus(total: number, payments: readonly PaymentFacts[]): PaymentStatus {
  const authorized = payments
    .filter(({ status }) => status === 'authorized')
    .reduce((sum, { authorizedCents }) => sum + authorizedCents, 0);
  if (authorized > 0 && authorized >= total) return 'authorized';
  if (payments.some(({ status }) => OPEN.includes(status))) return 'pending';
  if (payments.length === 0) return 'unpaid';
  if (payments.every(({ status }) => status === 'voided')) return 'voided';
  const last = payments.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1)).at(-1);
  return last?.status === 'failed' ? 'failed' : 'unpaid';
}

type Shipped = Pick<OrderItem, 'requiresShipping' | 'quantity' | 'fulfilledQuantity' | 'cancelledQuantity'>;

/** How far the goods of an order are. @param isDelivered every shipment arrived */
export function fulfillmentStatusOf(items: readonly Shipped[], isDelivered = false): FulfillmentStatus {
  const shippable = items.filter(({ requiresShipping }) => requiresShipping);
  if (shippable.length === 0) return 'not_required';
  const fulfilled = shippable.reduce((sum, { fulfilledQuantity }) => sum + fulfilledQuantity, 0);
  if (fulfilled === 0) return 'unfulfilled';
  if (leftToShip(items) > 0) return 'partially_fulfilled';
  return isDelivered ? 'delivered' : 'fulfilled';
}

/** Units that still have to leave. */
export const leftToShip = (items: readonly Shipped[]): number =>
  items
    .filter(({ requiresShipping }) => requiresShipping)
    .reduce(
      (sum, { quantity, fulfilledQuantity, cancelledQuantity }) =>
        sum + quantity - fulfilledQuantity - cancelledQuantity,
      0,
    );
