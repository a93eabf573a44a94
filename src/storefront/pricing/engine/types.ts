/** What the price engine is given (storefront-promotions 2 and 3). Amounts are minor units in the price basis of the shop. */

/** What something is for: everything, or whatever one of the lists names. Tags are normalised. */
export type Targets =
  | 'all'
  | {
      readonly products?: readonly string[];
      readonly variants?: readonly string[];
      readonly categories?: readonly string[];
      readonly collections?: readonly string[];
      readonly tags?: readonly string[];
    };

/** A rate of tax that applies to a line or to shipping. */
export interface TaxRate {
  readonly name: string;
  /** Parts per million: 88750 is 8.875 %. */
  readonly ppm: number;
  /** It is taken on the net amount with all other rates; at most one is. */
  readonly isCompound: boolean;
}

/** A line of a cart, in the order of the cart. */
export interface CartLine {
  readonly productId: string;
  readonly variantId: string;
  readonly categoryIds: readonly string[];
  readonly collectionIds: readonly string[];
  readonly tags: readonly string[];
  /** For this buyer and this quantity. */
  readonly unitCents: number;
  readonly quantity: number;
  /** Not so: gift cards, lines of a quote, products that are never reduced. */
  readonly isDiscountable: boolean;
  /** Its variant is reduced already. */
  readonly isOnSale: boolean;
  readonly rates: readonly TaxRate[];
}

export interface CartShipping {
  /** The rate and handling for what is left of each line after discounts; 0 where nothing is shipped. */
  readonly priceCents: (left: readonly number[]) => number;
  readonly rates: readonly TaxRate[];
}

/** A cart as it is priced. */
export interface PricedCart {
  readonly lines: readonly CartLine[];
  /** Entered, normalised. */
  readonly codes: readonly string[];
  readonly shipping: CartShipping;
  readonly includesTax: boolean;
  readonly roundTaxAt: 'line' | 'total';
  /** The buyer owes no tax. */
  readonly isExempt: boolean;
  /** What the points that are to be spent are worth. */
  readonly loyaltyCents: number;
  /** What staff take off by hand, each off the order as a whole: after promotions, before shipping and points. */
  readonly manualCents?: readonly number[];
  /** What is free on each gift card, in the order in which they were entered. */
  readonly giftCardCents: readonly number[];
}

export type PromotionClass = 'item' | 'order' | 'shipping';

/** Why a promotion is out before prices are looked at: tested by whoever knows the time, its uses and the customer. */
export type Bar = 'not_started' | 'expired' | 'exhausted' | 'per_customer_limit' | 'customer';

interface AnyPromotion {
  readonly id: string;
  /** Of two that are equal otherwise, the older one goes first. */
  readonly createdAt: string;
  readonly name: string;
  /** Normalised codes of which one opens it; null: it needs none. */
  readonly codes: readonly string[] | null;
  readonly bar: Bar | null;
  /** Smaller is earlier. */
  readonly priority: number;
  readonly maxDiscountCents: number | null;
  readonly minSubtotalCents: number | null;
  readonly minQuantity: number | null;
  readonly isStackable: boolean;
  readonly combinesWith: readonly PromotionClass[];
  readonly exclusionGroup: string | null;
}

interface OfLines extends AnyPromotion {
  readonly class: 'item';
  readonly excludes: Targets | null;
  readonly excludesSale: boolean;
}

/** Lowers the units of some lines. */
export interface ItemPromotion extends OfLines {
  readonly effect: 'percent' | 'fixed_amount' | 'fixed_price';
  /** percent: basis points; otherwise minor units. */
  readonly value: number;
  /** Of a fixed amount: for each unit, or once over all of them. */
  readonly scope: 'per_unit' | 'once';
  readonly appliesTo: Targets;
  readonly maxUnits: number | null;
}

/** Buy some, get some (storefront-promotions 5). */
export interface BogoPromotion extends OfLines {
  readonly effect: 'bogo';
  readonly buy: Targets;
  readonly get: Targets;
  readonly buyQuantity: number;
  readonly getQuantity: number;
  readonly getEffect: 'percent' | 'fixed_amount' | 'fixed_price';
  readonly getValue: number;
  readonly getSelection: 'grouped' | 'cheapest';
  readonly maxSets: number | null;
}

/** Lowers the merchandise as a whole. */
export interface OrderPromotion extends AnyPromotion {
  readonly class: 'order';
  readonly effect: 'percent' | 'fixed_amount';
  readonly value: number;
}

export interface ShippingPromotion extends AnyPromotion {
  readonly class: 'shipping';
  readonly effect: 'free_shipping' | 'percent' | 'fixed_amount';
  readonly value: number;
}

export type Promotion = ItemPromotion | BogoPromotion | OrderPromotion | ShippingPromotion;

/** How promotions go together (storefront-promotions 7). */
export interface Stacking {
  readonly mode: 'none' | 'best_wins' | 'controlled';
  readonly maxStack: number;
}
