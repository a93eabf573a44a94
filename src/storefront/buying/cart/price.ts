import type { Ctx } from '#kernel/context.ts';
import { placeIn } from '#storefront/contract/address.ts';
import type { Place } from '#storefront/contract/regions.ts';
import { taxRoundAt } from '#storefront/contract/selling-settings.ts';
import { pricesIncludeTax, promotionMaxStack, promotionStackingMode } from '#storefront/contract/settings.ts';
import { type BuyersList, type PriceTier, unitPrice } from '#storefront/contract/unit-price.ts';
import { hasOrdered } from '#storefront/orders/orders/index.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import { type Buyer, buyerOf } from '#storefront/people/groups/index.ts';
import {
  type CartLine,
  type LinePrice,
  type Price,
  price,
  type TaxRate,
} from '#storefront/pricing/engine/index.ts';
import { type Met, placementsOf, promotionsFor } from '#storefront/pricing/promotions/index.ts';
import { type Offer, offers, type Parcel, priceOf } from '#storefront/pricing/shipping/index.ts';
import { SHIPPING_CLASS, type Taxes, taxesAt, taxPlace } from '#storefront/pricing/tax/index.ts';
import { listsInCart } from './buyer/queries.ts';
import { giftCardsOf, type HeldCard } from './gift-cards.ts';
import { type Line, linesOf, tiersOf } from './queries.ts';
import type { Cart, CartCode } from './record.ts';
import { codesOf } from './repository.ts';

/** A line with what it costs. */
export interface PricedLine {
  readonly line: Line;
  readonly unitCents: number;
  /** Of its tax, in the order of `price.parts`. */
  readonly rates: readonly TaxRate[];
  readonly price: LinePrice;
}

/** A cart as it stands now, priced from what is stored of its goods at this moment. */
export interface CartPrice {
  readonly cart: Cart;
  readonly lines: readonly PricedLine[];
  /** Lines whose goods are no longer sold: they cost nothing, and go with the next change. */
  readonly gone: readonly Line[];
  readonly codes: readonly CartCode[];
  readonly giftCards: readonly HeldCard[];
  readonly price: Price;
  readonly met: Met;
  /** Methods that ship this cart; none while nobody knows where to. */
  readonly offers: readonly Offer[];
  /** The one that was chosen, while it is offered. */
  readonly method: Offer | null;
  /** Of the tax on shipping, in the order of `price.shipping.parts`. */
  readonly shippingRates: readonly TaxRate[];
  readonly needsShipping: boolean;
  readonly place: Place | null;
  readonly includesTax: boolean;
}

/** What a cart is priced for in place of what stands in it: an estimate. */
export interface Elsewhere {
  readonly place: Place;
  readonly methodId: string | null;
}

/** What staff decide of a price in place of the shop. */
export interface Terms {
  /** null: what the method asks for. */
  readonly shippingCents: number | null;
  /** Each is taken off the order as a whole. */
  readonly manualCents: readonly number[];
  /** Promotions of an order that stands; null: those that apply now. */
  readonly met: Met | null;
  /** Of an order that stands; null: as the settings say. */
  readonly includesTax: boolean | null;
}

const OF_THE_SHOP: Terms = { shippingCents: null, manualCents: [], met: null, includesTax: null };

/** What decides the price of a unit beside its variant. */
export interface UnitTerms {
  /** Public quantity breaks, by variant. */
  readonly tiers: ReadonlyMap<string, readonly PriceTier[]>;
  /** Price lists of the buyer, by variant. */
  readonly lists: (variantId: string) => readonly BuyersList[];
  /** ISO time. */
  readonly now: string;
}

/** What a unit of a line costs its buyer: of a gift card, what it is worth (storefront-domain 5). */
export const unitOf = (line: Line, { tiers, lists, now }: UnitTerms): number =>
  line.giftCard?.amountCents ??
  unitPrice(
    { priceCents: line.priceCents, currency: line.currency, tiers: tiers.get(line.variantId) ?? [] },
    line.quantity,
    lists(line.variantId),
    now,
  );

function parcelOf(lines: readonly Line[], cents: (at: number) => number): Parcel {
  const shipped = lines.filter(({ requiresShipping }) => requiresShipping);
  return {
    weightG: shipped.reduce((sum, { weightG, quantity }) => sum + weightG * quantity, 0),
    merchandiseCents: lines.reduce((sum, _line, at) => sum + cents(at), 0),
    itemCount: shipped.reduce((sum, { quantity }) => sum + quantity, 0),
    handlingCents: Math.max(0, ...shipped.map(({ handlingCents }) => handlingCents)),
  };
}

/** The price of a method for what is left of the lines after discounts; null where it has no rate for that. */
const shippingFor = (lines: readonly Line[], { method, rates }: Offer, left: readonly number[]) =>
  priceOf(
    method,
    rates,
    parcelOf(lines, (at) => left[at] ?? 0),
  );

/**
 * Prices a cart from live data (storefront-domain 7.2). It writes nothing.
 *
 * @param elsewhere in place of the address and the method of the cart
 */
export async function priceCart(
  ctx: Ctx,
  cart: Cart,
  elsewhere: Elsewhere | null = null,
): Promise<CartPrice> {
  const all = await linesOf(ctx, cart.id);
  const lines = all.filter(({ isSold }) => isSold);
  const codes = await codesOf(ctx, cart.id);
  const buyer = await buyerOf(ctx, cart.customerId);
  const terms = { tiers: await tiersOf(ctx, cart.id), lists: await listsInCart(ctx, buyer, cart.id) };
  const units = lines.map((line) => unitOf(line, { ...terms, now: ctx.now() }));
  const giftCards = await giftCardsOf(ctx, cart, codes);
  const priced = await priceLines(ctx, { cart, buyer, lines, units, codes, giftCards }, { elsewhere });
  return { ...priced, gone: all.filter(({ isSold }) => !isSold) };
}

/** Lines with what a unit costs, and what else decides their price. */
export interface Basis {
  readonly cart: Cart;
  /** Whose account it is for; null for a guest. */
  readonly buyer: Buyer | null;
  readonly lines: readonly Line[];
  readonly units: readonly number[];
  readonly codes: readonly CartCode[];
  readonly giftCards: readonly HeldCard[];
}

/** Prices lines, of a cart or of an order that staff write. It writes nothing. */
export async function priceLines(
  ctx: Ctx,
  basis: Basis,
  {
    elsewhere = null,
    terms = OF_THE_SHOP,
  }: { readonly elsewhere?: Elsewhere | null; readonly terms?: Terms },
): Promise<CartPrice> {
  const { cart, lines, units } = basis;
  const shipping = elsewhere?.place ?? (cart.shippingAddress && placeIn(cart.shippingAddress));
  const billing = cart.billingAddress && placeIn(cart.billingAddress);
  const parcel = parcelOf(lines, (at) => (units[at] ?? 0) * (lines[at]?.quantity ?? 0));
  const offered = shipping ? await offers(ctx, shipping, parcel) : [];
  const wanted = elsewhere ? elsewhere.methodId : cart.shippingMethodId;
  const taxes = await taxesAt(ctx, taxPlace(ctx, { shipping, billing }));
  const input = { ...basis, taxes, terms, country: shipping?.country ?? null };
  const chosen = offered.find(({ method }) => method.id === wanted) ?? null;
  const priced = await priceWith(ctx, input, chosen);
  // A method that has no rate for what discounts leave is not offered after all.
  const { method, met, price, engineLines } = priced.isMissed ? await priceWith(ctx, input, null) : priced;
  return {
    cart,
    lines: lines.map((line, at) => ({
      line,
      unitCents: units[at] as number,
      rates: engineLines[at]?.rates ?? [],
      price: price.lines[at] as LinePrice,
    })),
    gone: [],
    codes: basis.codes,
    giftCards: basis.giftCards,
    price,
    met,
    offers: offered,
    method,
    shippingRates: shippingRates(taxes, method, terms),
    needsShipping: parcel.itemCount > 0,
    place: shipping,
    includesTax: terms.includesTax ?? ctx.settings.get(pricesIncludeTax),
  };
}

interface Input extends Basis {
  readonly taxes: Taxes;
  readonly terms: Terms;
  readonly country: string | null;
}

async function priceWith(ctx: Ctx, input: Input, method: Offer | null) {
  const { lines, taxes, terms } = input;
  const met = terms.met ?? (await metBy(ctx, input, method));
  const placement = await placementsOf(
    ctx,
    lines.map(({ productId }) => productId),
    met.rows,
  );
  let isMissed = false;
  const priceCents = (left: readonly number[]): number => {
    if (terms.shippingCents !== null) return terms.shippingCents;
    const cents = method && shippingFor(lines, method, left);
    isMissed ||= method !== null && cents === null;
    return cents ?? 0;
  };
  const engineLines = engineLinesOf(input, placement);
  const priced = price(
    {
      lines: engineLines,
      codes: met.codes,
      shipping: { priceCents, rates: shippingRates(taxes, method, terms) },
      includesTax: terms.includesTax ?? ctx.settings.get(pricesIncludeTax),
      roundTaxAt: ctx.settings.get(taxRoundAt),
      isExempt: input.buyer?.isTaxExempt ?? false,
      loyaltyCents: 0,
      manualCents: terms.manualCents,
      giftCardCents: input.giftCards.map(({ freeCents }) => freeCents),
    },
    met.priced,
    { mode: ctx.settings.get(promotionStackingMode), maxStack: ctx.settings.get(promotionMaxStack) },
  );
  return { price: priced, met, method, isMissed, engineLines };
}

async function metBy(ctx: Ctx, { cart, buyer, codes, country }: Input, method: Offer | null): Promise<Met> {
  const emailNorm = cart.email === null ? null : emailNormed(cart.email);
  const { customerId } = cart;
  return promotionsFor(ctx, {
    codes: codes.filter(({ kind }) => kind === 'promotion').map(({ codeNorm }) => codeNorm),
    shopper: {
      customerId,
      emailNorm,
      isFirstOrder: !(await hasOrdered(ctx, { customerId, emailNorm })),
      groupIds: buyer?.groupIds ?? [],
    },
    country,
    shippingMethodId: method?.method.id ?? null,
    at: ctx.now(),
    orderId: cart.orderId,
  });
}

function shippingRates(taxes: Taxes, method: Offer | null, { shippingCents }: Terms): TaxRate[] {
  if (method) return taxes.ofShipping(method.method.taxClassId);
  return shippingCents === null ? [] : taxes.ofShipping(SHIPPING_CLASS);
}

/** Lines as the price engine takes them. */
const engineLinesOf = (
  { lines, units, taxes }: Input,
  placement: Awaited<ReturnType<typeof placementsOf>>,
): CartLine[] =>
  lines.map((line, at) => ({
    productId: line.productId,
    variantId: line.variantId,
    ...placement(line.productId),
    unitCents: units[at] as number,
    quantity: line.quantity,
    isDiscountable: line.isDiscountable,
    isOnSale: line.compareAtCents !== null && line.compareAtCents > line.priceCents,
    rates: line.isTaxable ? taxes.ofGoods(line.taxClassId) : [],
  }));

/** Uses of promotions that an order of a priced cart takes. */
export const usesOf = ({ price, met }: Pick<CartPrice, 'price' | 'met'>) =>
  price.applied
    .filter(({ amountCents }) => amountCents > 0)
    .map(({ promotion, code, amountCents }) => ({
      promotionId: promotion.id,
      codeId: code === null ? null : (met.codeIds.get(code) ?? null),
      amountCents,
    }));
