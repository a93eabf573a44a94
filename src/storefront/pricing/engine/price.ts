import { type Choice, choose, type Refusal } from './choice.ts';
import { sumOf } from './lines.ts';
import { type Application, applySet, type Share, savingOf } from './stages.ts';
import { type TaxResult, taxAll } from './tax.ts';
import type { CartLine, PricedCart, Promotion, Stacking } from './types.ts';

/** What a line comes to, as an order stores it (storefront-promotions 9). */
export interface LinePrice extends TaxResult {
  readonly subtotalCents: number;
  /** Of promotions of class item. */
  readonly itemDiscountCents: number;
  /** Of promotions of class order, of staff, and of points. */
  readonly orderDiscountCents: number;
  readonly loyaltyDiscountCents: number;
}

/** What shipping comes to. */
export interface ShippingPrice extends TaxResult {
  readonly priceCents: number;
  readonly discountCents: number;
}

/** A promotion that applies; one whose amount is 0 is shown and not counted as used. */
export interface AppliedPromotion {
  readonly promotion: Promotion;
  readonly code: string | null;
  readonly amountCents: number;
  /** Off each line. */
  readonly lines: readonly number[];
  readonly shippingCents: number;
  /** What it was computed from. */
  readonly baseCents: number;
}

/** Amounts of the whole cart; each is a sum of stored ones. */
export interface Totals {
  readonly subtotalCents: number;
  readonly itemDiscountCents: number;
  /** Without points. */
  readonly orderDiscountCents: number;
  readonly loyaltyDiscountCents: number;
  readonly shippingCents: number;
  readonly shippingDiscountCents: number;
  /** Of lines and shipping. */
  readonly taxCents: number;
  /** What a buyer without tax pays less, where prices include it. */
  readonly taxReliefCents: number;
  readonly totalCents: number;
  readonly giftCardCents: number;
  readonly dueCents: number;
}

/** A cart, priced. */
export interface Price {
  readonly lines: readonly LinePrice[];
  readonly shipping: ShippingPrice;
  readonly applied: readonly AppliedPromotion[];
  /** Of each amount that staff take off, what it lowers each line by. */
  readonly manual: readonly (readonly number[])[];
  readonly refused: readonly {
    readonly promotion: Promotion;
    readonly code: string | null;
    readonly refusal: Refusal;
  }[];
  /** What each promotion would save alone: how the choice was made. */
  readonly candidates: Choice['candidates'];
  /** So many more units of what a promotion gives would cost less. */
  readonly missing: ReadonlyMap<string, number>;
  /** Of each card. */
  readonly giftCards: readonly number[];
  readonly totals: Totals;
}

/**
 * Prices a cart. Pure: it knows no clock, no database and no setting (storefront-promotions).
 *
 * @param promotions all that may apply; what needs the time, its uses or the customer stands in their `bar`
 */
export function price(cart: PricedCart, promotions: readonly Promotion[], stacking: Stacking): Price {
  const sold = withExemptShipping(cart);
  const choice = choose(sold, promotions, stacking);
  const chosen = choice.chosen.map(({ promotion }) => promotion);
  const applied = applySet(sold, chosen, sold.shipping.priceCents, sold.loyaltyCents, sold.manualCents);
  const taxed = taxAll(
    [
      ...sold.lines.map(({ rates }, at) => ({ amountCents: applied.left[at] as number, rates })),
      { amountCents: applied.shippingCents - applied.shippingDiscountCents, rates: sold.shipping.rates },
    ],
    sold,
  );
  const lines = sold.lines.map((line, at) => linePrice(line, at, applied, taxed[at] as TaxResult));
  const shipping = {
    ...(taxed[sold.lines.length] as TaxResult),
    priceCents: applied.shippingCents,
    discountCents: applied.shippingDiscountCents,
  };
  const totals = totalsOf(sold, lines, shipping);
  const giftCards = spendCards(sold.giftCardCents, totals.totalCents);
  const giftCardCents = sumOf(giftCards);
  return {
    lines,
    shipping,
    applied: appliedOf(choice, applied.shares),
    manual: applied.manual,
    refused: choice.refused,
    candidates: choice.candidates,
    missing: choice.missing,
    giftCards,
    totals: { ...totals, giftCardCents, dueCents: totals.totalCents - giftCardCents },
  };
}

/**
 * A buyer without tax is asked the net price of shipping from the start, so that an order's total is what its stored
 * amounts add up to.
 */
function withExemptShipping(cart: PricedCart): PricedCart {
  const { isExempt, includesTax, shipping } = cart;
  if (!isExempt || !includesTax) return cart;
  const priceCents = (left: readonly number[]): number => {
    const [price] = taxAll([{ amountCents: shipping.priceCents(left), rates: shipping.rates }], cart);
    return (price as TaxResult).netCents;
  };
  return { ...cart, shipping: { priceCents, rates: [] } };
}

function linePrice(
  { unitCents, quantity }: CartLine,
  at: number,
  { shares, loyalty, manual }: Application,
  taxed: TaxResult,
): LinePrice {
  const off = (wanted: 'item' | 'order') =>
    sumOf(
      shares.flatMap(({ promotion, lines }) => (promotion.class === wanted ? [lines[at] as number] : [])),
    );
  const loyaltyDiscountCents = loyalty[at] as number;
  return {
    ...taxed,
    subtotalCents: unitCents * quantity,
    itemDiscountCents: off('item'),
    orderDiscountCents:
      off('order') + sumOf(manual.map((cents) => cents[at] as number)) + loyaltyDiscountCents,
    loyaltyDiscountCents,
  };
}

const appliedOf = ({ chosen }: Choice, shares: readonly Share[]): AppliedPromotion[] =>
  chosen.map(({ promotion, code }) => {
    const share = shares.find((one) => one.promotion === promotion) as Share;
    const { lines, shippingCents, baseCents } = share;
    return { promotion, code, amountCents: savingOf(share), lines, shippingCents, baseCents };
  });

function totalsOf(
  { includesTax, isExempt }: PricedCart,
  lines: readonly LinePrice[],
  shipping: ShippingPrice,
): Omit<Totals, 'giftCardCents' | 'dueCents'> {
  const all = (of: (line: LinePrice) => number) => sumOf(lines.map(of));
  const subtotalCents = all((line) => line.subtotalCents);
  const discounts = all((line) => line.itemDiscountCents + line.orderDiscountCents);
  const loyaltyDiscountCents = all((line) => line.loyaltyDiscountCents);
  const merchandise = all((line) => line.totalCents);
  return {
    subtotalCents,
    itemDiscountCents: all((line) => line.itemDiscountCents),
    orderDiscountCents: all((line) => line.orderDiscountCents) - loyaltyDiscountCents,
    loyaltyDiscountCents,
    shippingCents: shipping.priceCents,
    shippingDiscountCents: shipping.discountCents,
    taxCents: all((line) => line.taxCents) + shipping.taxCents,
    taxReliefCents: isExempt && includesTax ? subtotalCents - discounts - merchandise : 0,
    totalCents: merchandise + shipping.totalCents,
  };
}

/** Each card pays as much as it has of what is still due. */
function spendCards(balances: readonly number[], totalCents: number): number[] {
  let due = totalCents;
  return balances.map((balance) => {
    const used = Math.min(balance, due);
    due -= used;
    return used;
  });
}
