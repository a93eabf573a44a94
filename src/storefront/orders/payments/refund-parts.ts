import { refundPart } from '#storefront/pricing/engine/index.ts';
import type { OrderItem } from '../orders/index.ts';
import type { Payment } from './record.ts';

/** Units of a line that go back. */
export interface ItemPart {
  readonly orderItemId: string;
  /** 0 where the units were counted with the first part of the amount already. */
  readonly quantity: number;
  readonly amountCents: number;
  readonly taxCents: number;
}

/** What goes back to one payment. */
export interface Slice {
  readonly payment: Payment;
  readonly items: readonly ItemPart[];
  readonly shippingCents: number;
  readonly adjustmentCents: number;
  readonly amountCents: number;
}

/** What units of a line are worth when they go back, never more than is left of the line (storefront-promotions 12). */
export function itemPart(item: OrderItem, quantity: number): ItemPart {
  const before = item.refundedQuantity;
  const amountCents = refundPart(item.totalCents, item.quantity, before, quantity);
  return {
    orderItemId: item.id,
    quantity,
    amountCents: Math.min(amountCents, item.totalCents - item.refundedCents),
    taxCents: refundPart(item.taxCents, item.quantity, before, quantity),
  };
}

/**
 * Keeps an amount back of what lines are worth: of the first line as far as it reaches, then of the next one. The tax of a
 * line goes down in proportion.
 */
export function withheld(parts: readonly ItemPart[], cents: number): ItemPart[] {
  let left = cents;
  return parts.map((part) => {
    const kept = Math.min(left, part.amountCents);
    if (kept === 0) return part;
    left -= kept;
    const amountCents = part.amountCents - kept;
    const taxCents = Number((BigInt(part.taxCents) * BigInt(amountCents)) / BigInt(part.amountCents));
    return { ...part, amountCents, taxCents };
  });
}

/** What of a payment can still go back. */
export const leftOf = ({ capturedCents, refundedCents }: Payment): number => capturedCents - refundedCents;

/** Money first, then gift cards, each in the order in which it came (storefront-settled Z17). */
export const inOrderOfRefund = (payments: readonly Payment[]): Payment[] =>
  payments
    .filter((one) => leftOf(one) > 0)
    .toSorted(
      (one, other) =>
        Number(one.kind === 'gift_card') - Number(other.kind === 'gift_card') ||
        (one.createdAt < other.createdAt ? -1 : 1),
    );

type Piece =
  | { readonly kind: 'item'; part: ItemPart }
  | { readonly kind: 'shipping' | 'adjustment'; cents: number };

const centsOf = (piece: Piece): number => (piece.kind === 'item' ? piece.part.amountCents : piece.cents);

/**
 * Cuts a refund into what goes back to each payment: lines first, then shipping, then the rest.
 *
 * @param payments with at least as much left as goes back, in the order in which they are paid back
 */
export function slices(
  payments: readonly Payment[],
  {
    items,
    shippingCents,
    adjustmentCents,
  }: { items: readonly ItemPart[]; shippingCents: number; adjustmentCents: number },
): Slice[] {
  const waiting: Piece[] = [
    ...items.map((part) => ({ kind: 'item' as const, part })),
    { kind: 'shipping', cents: shippingCents },
    { kind: 'adjustment', cents: adjustmentCents },
  ];
  const found: Slice[] = [];
  for (const payment of payments) {
    const taken = takeUpTo(waiting, leftOf(payment));
    const own = taken.flatMap((one) => (one.kind === 'item' ? [one.part] : []));
    const of = (kind: 'shipping' | 'adjustment') =>
      taken.reduce((sum, one) => (one.kind === kind ? sum + centsOf(one) : sum), 0);
    const amountCents = taken.reduce((sum, one) => sum + centsOf(one), 0);
    if (amountCents > 0)
      found.push({
        payment,
        items: own,
        shippingCents: of('shipping'),
        adjustmentCents: of('adjustment'),
        amountCents,
      });
  }
  return found;
}

/** Takes pieces off the front of a list until an amount is reached; the last one is cut. */
function takeUpTo(waiting: Piece[], most: number): Piece[] {
  const taken: Piece[] = [];
  let left = most;
  while (waiting[0] && (left > 0 || centsOf(waiting[0]) === 0)) {
    const first = waiting.shift() as Piece;
    const cents = Math.min(left, centsOf(first));
    left -= cents;
    if (cents === centsOf(first)) taken.push(first);
    else {
      const [own, rest] = cut(first, cents);
      taken.push(own);
      waiting.unshift(rest);
    }
  }
  return taken;
}

/** The units and the tax stay with the first half. */
function cut(piece: Piece, cents: number): [Piece, Piece] {
  if (piece.kind !== 'item')
    return [
      { ...piece, cents },
      { ...piece, cents: piece.cents - cents },
    ];
  const { part } = piece;
  const taxCents = Math.min(part.taxCents, cents);
  return [
    { kind: 'item', part: { ...part, amountCents: cents, taxCents } },
    {
      kind: 'item',
      part: {
        ...part,
        quantity: 0,
        amountCents: part.amountCents - cents,
        taxCents: part.taxCents - taxCents,
      },
    },
  ];
}
