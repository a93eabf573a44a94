import type { Order } from '#storefront/orders/orders/index.ts';
import type { Payment, Ways } from '#storefront/orders/payments/index.ts';

/** How a cart is ordered. */
export interface PlaceInput {
  readonly processor: string | null;
  /** What the processor's script made of the card; null for its own page, and where nothing is charged. */
  readonly sourceId: string | null;
  /** The total that the shopper saw. */
  readonly expectedTotalCents?: number | undefined;
  /** What the shopper saw that is due beside gift cards. */
  readonly expectedDueCents?: number | undefined;
  readonly termsAccepted: boolean;
  /** What was read beside the choice about emails with offers, where a page showed it. */
  readonly consentText?: string;
  /** The cart whose form was sent: a second time it is the same order. */
  readonly cartId?: string | undefined;
}

/** Where a shopper comes back to, by the order. */
export type WaysOf = (order: Order) => Ways;

/** An order and how its payment stands. */
export interface Placed {
  readonly order: Order;
  /** null: nothing is charged. */
  readonly payment: Payment | null;
  /** The same request came before. */
  readonly isReplay: boolean;
}
