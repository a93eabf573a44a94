import type { CartPrice } from '#storefront/buying/cart/index.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import type { ShopWords } from '../shop/index.ts';

/** A line of a sum. */
export interface SumRow {
  readonly label: string;
  readonly amount: string;
  readonly isTotal?: true;
}

interface Amounts {
  readonly currency: string;
  readonly subtotalCents: number;
  readonly discountCents: number;
  /** null: not known yet, or nothing is shipped. */
  readonly shippingCents: number | null;
  readonly taxCents: number;
  readonly isTaxIncluded: boolean;
  readonly totalCents: number;
  readonly giftCardCents: number;
}

function rowsOf(amounts: Amounts, { t, money }: ShopWords): SumRow[] {
  const { currency } = amounts;
  const row = (key: string, cents: number): SumRow => ({ label: t(key), amount: money(cents, currency) });
  const free = t('cart.free');
  return [
    row('cart.subtotal', amounts.subtotalCents),
    ...(amounts.discountCents > 0 ? [row('cart.discount', -amounts.discountCents)] : []),
    ...(amounts.shippingCents === null
      ? []
      : [
          amounts.shippingCents === 0
            ? { label: t('cart.shipping'), amount: free }
            : row('cart.shipping', amounts.shippingCents),
        ]),
    ...(amounts.taxCents > 0 && !amounts.isTaxIncluded ? [row('cart.tax', amounts.taxCents)] : []),
    { ...row('cart.total', amounts.totalCents), isTotal: true },
    ...(amounts.taxCents > 0 && amounts.isTaxIncluded ? [row('cart.tax_included', amounts.taxCents)] : []),
    ...(amounts.giftCardCents > 0
      ? [
          row('cart.gift_cards', -amounts.giftCardCents),
          { ...row('cart.due', amounts.totalCents - amounts.giftCardCents), isTotal: true as const },
        ]
      : []),
  ];
}

/** What a cart comes to, line by line. */
export const cartSum = ({ cart, price, method, includesTax }: CartPrice, words: ShopWords): SumRow[] =>
  rowsOf(
    {
      currency: cart.currency,
      subtotalCents: price.totals.subtotalCents,
      discountCents: price.totals.itemDiscountCents + price.totals.orderDiscountCents,
      shippingCents: method ? price.shipping.priceCents - price.shipping.discountCents : null,
      taxCents: price.totals.taxCents,
      isTaxIncluded: includesTax,
      totalCents: price.totals.totalCents,
      giftCardCents: price.totals.giftCardCents,
    },
    words,
  );

/** What an order comes to, line by line. */
export const orderSum = (order: Order, words: ShopWords): SumRow[] =>
  rowsOf(
    {
      currency: order.currency,
      subtotalCents: order.subtotalCents,
      discountCents: order.itemDiscountCents + order.orderDiscountCents,
      shippingCents:
        order.shippingMethodName === null ? null : order.shippingCents - order.shippingDiscountCents,
      taxCents: order.taxCents,
      isTaxIncluded: order.pricesIncludeTax,
      totalCents: order.totalCents,
      giftCardCents: order.giftCardCents,
    },
    words,
  );
