// Carts and promotions as the worked examples write them, for the price engine.
import type {
  PricedCart,
  Promotion,
  PromotionClass,
  Stacking,
  Targets,
} from '#storefront/pricing/engine/index.ts';

interface VectorCart {
  readonly lines: readonly {
    readonly product: string;
    readonly unit: number;
    readonly qty: number;
    readonly tax?: readonly number[];
    readonly discountable?: number;
    readonly on_sale?: number;
  }[];
  readonly codes?: readonly string[];
  readonly incl?: number;
  readonly tax_round_at?: 'line' | 'total';
  readonly shipping?: number;
  readonly ship_tax?: readonly number[];
  readonly loyalty?: number;
  readonly gift_cards?: readonly number[];
  readonly max_stack?: number;
}

export interface VectorPromotion {
  readonly id: string;
  readonly class?: PromotionClass;
  readonly effect?: 'percent' | 'fixed_amount' | 'fixed_price' | 'free_shipping' | 'bogo';
  readonly type?: 'coupon' | 'automatic' | 'bogo';
  readonly value?: number;
  readonly scope?: 'per_unit' | 'once';
  readonly code?: string | null;
  readonly priority?: number;
  readonly applies_to?: readonly string[];
  readonly max_units?: number;
  readonly max_discount?: number;
  readonly min_subtotal?: number;
  readonly min_quantity?: number;
  readonly stackable?: number;
  readonly combines?: readonly PromotionClass[];
  readonly group?: string;
  readonly x?: number;
  readonly y?: number;
  readonly buy?: readonly string[];
  readonly get?: readonly string[] | null;
  readonly get_bps?: number;
  readonly get_amount?: number;
  readonly get_fixed_price?: number;
  readonly get_selection?: 'grouped' | 'cheapest';
  readonly max_sets?: number;
}

export interface Vector {
  readonly name: string;
  readonly why: string;
  readonly mode: Stacking['mode'];
  readonly cart: VectorCart;
  readonly promos: readonly VectorPromotion[];
  readonly expect: Readonly<Record<string, unknown>>;
}

export const ratesOf = (ppms: readonly number[] = []) =>
  ppms.map((ppm, at) => ({ name: `rate ${at}`, ppm, isCompound: false }));

export const cartOf = (cart: VectorCart): PricedCart => ({
  lines: cart.lines.map(({ product, unit, qty, tax, discountable, on_sale }) => ({
    productId: product,
    variantId: product,
    categoryIds: [],
    collectionIds: [],
    tags: [],
    unitCents: unit,
    quantity: qty,
    isDiscountable: Boolean(discountable ?? 1),
    isOnSale: Boolean(on_sale),
    rates: ratesOf(tax),
  })),
  codes: cart.codes ?? [],
  shipping: { priceCents: () => cart.shipping ?? 0, rates: ratesOf(cart.ship_tax) },
  includesTax: Boolean(cart.incl),
  roundTaxAt: cart.tax_round_at ?? 'line',
  isExempt: false,
  loyaltyCents: cart.loyalty ?? 0,
  giftCardCents: cart.gift_cards ?? [],
});

const targetsOf = (products: readonly string[] | null | undefined): Targets =>
  products ? { products } : 'all';

function getOf({ get_amount, get_fixed_price, get_bps }: VectorPromotion) {
  if (get_amount !== undefined) return { getEffect: 'fixed_amount', getValue: get_amount } as const;
  if (get_fixed_price !== undefined) return { getEffect: 'fixed_price', getValue: get_fixed_price } as const;
  return { getEffect: 'percent', getValue: get_bps ?? 10_000 } as const;
}

export function promotionOf(one: VectorPromotion): Promotion {
  const any = {
    id: one.id,
    createdAt: '2026-01-01T00:00:00.000Z',
    name: one.id,
    codes: one.code ? [one.code] : null,
    bar: null,
    priority: one.priority ?? 100,
    maxDiscountCents: one.max_discount ?? null,
    minSubtotalCents: one.min_subtotal ?? null,
    minQuantity: one.min_quantity ?? null,
    isStackable: Boolean(one.stackable),
    combinesWith: one.combines ?? [],
    exclusionGroup: one.group ?? null,
  };
  const ofLines = { ...any, class: 'item', excludes: null, excludesSale: false } as const;
  const value = one.value ?? 0;
  if (one.type === 'bogo' || one.effect === 'bogo')
    return {
      ...ofLines,
      ...getOf(one),
      effect: 'bogo',
      buy: targetsOf(one.buy),
      get: targetsOf(one.get ?? one.buy),
      buyQuantity: one.x ?? 1,
      getQuantity: one.y ?? 1,
      getSelection: one.get_selection ?? 'grouped',
      maxSets: one.max_sets ?? null,
    };
  if (one.class === 'item')
    return {
      ...ofLines,
      effect: one.effect as 'percent' | 'fixed_amount' | 'fixed_price',
      value,
      scope: one.scope ?? 'per_unit',
      appliesTo: targetsOf(one.applies_to),
      maxUnits: one.max_units ?? null,
    };
  if (one.class === 'order')
    return { ...any, class: 'order', effect: one.effect as 'percent' | 'fixed_amount', value };
  return { ...any, class: 'shipping', effect: one.effect as 'free_shipping' | 'percent', value };
}
