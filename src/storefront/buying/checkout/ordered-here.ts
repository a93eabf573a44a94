import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import { paymentsOf } from '#storefront/orders/payments/index.ts';
import * as carts from '../cart/index.ts';
import type { Placed } from './types.ts';

/** Under which the session of a customer remembers what was ordered in it. */
const ORDERED = 'ordered';
/** Older ones are shown like those of any other browser. */
const MOST = 10;

/** @param paymentId null: nothing was charged when it was ordered */
interface Ordered {
  readonly orderId: string;
  readonly paymentId: string | null;
}

const orderedIn = ({ session }: Visitor): readonly Ordered[] =>
  (session.read(ORDERED) as readonly Ordered[] | undefined) ?? [];

/**
 * Notes in the session of a customer that an order was placed in it, or that its payment began there. Another browser of
 * the same customer that sends the request once more has not ordered. A guest's browser is known by its cart.
 */
export function noteOrdered(visitor: Visitor | null, { order, payment, isReplay }: Placed): void {
  if (!visitor?.customer || isReplay || payment?.status === 'failed') return;
  const others = orderedIn(visitor).filter(({ orderId }) => orderId !== order.id);
  const noted: Ordered = { orderId: order.id, paymentId: payment?.id ?? null };
  visitor.session.write(ORDERED, [...others, noted].slice(-MOST));
}

/** Whether an order was placed, and paid unless it was placed without, in the browser of whoever asks (fulfilment 8). */
export async function isOrderedHere(ctx: Ctx, visitor: Visitor, order: Order): Promise<boolean> {
  const { customer, session } = visitor;
  if (customer) return customer.id === order.customerId && isNoted(ctx, visitor, order);
  const browser = { customerId: null, sessionKey: session.key };
  return order.cartId !== null && (await carts.ownCart(ctx, browser, order.cartId)) !== null;
}

async function isNoted(ctx: Ctx, visitor: Visitor, { id }: Order): Promise<boolean> {
  const noted = orderedIn(visitor).find(({ orderId }) => orderId === id);
  if (!noted || noted.paymentId === null) return noted !== undefined;
  // What began here may have been given up, and paid in another browser.
  const began = (await paymentsOf(ctx, id)).find((payment) => payment.id === noted.paymentId);
  return began !== undefined && began.capturedCents > 0;
}
