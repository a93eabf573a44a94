import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { cardsOf } from '#storefront/catalog/search/index.ts';
import { ImageView } from '#storefront/contract/picture.ts';
import { GiftDataView, giftDataView } from '#storefront/orders/orders/view.ts';
import { refusalWords } from '#storefront/pricing/promotions/index.ts';
import type { Offer } from '#storefront/pricing/shipping/index.ts';
import { changesOf } from './changes.ts';
import type { CartPrice, PricedLine } from './price.ts';
import { MOST_UNITS } from './record.ts';

const ItemView = later(() =>
  z
    .object({
      id: z.string(),
      variant_id: z.string(),
      product_slug: z.string(),
      sku: z.string(),
      title: z.string(),
      variant_title: z.string().nullable().describe('null for the only variant of a product'),
      image: ImageView.nullable(),
      quantity: count(),
      unit_cents: count(),
      subtotal_cents: count(),
      discount_cents: count(),
      total_cents: count(),
      tax_cents: count(),
      max_quantity: count().describe('Highest quantity available now'),
      gift_card: GiftDataView.nullable(),
      warnings: z.array(z.string()),
    })
    .meta({ id: 'CartItem' }),
);

export const ShippingMethodView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      price_cents: count(),
      eta_min_days: count().nullable(),
      eta_max_days: count().nullable(),
    })
    .meta({ id: 'OfferedShippingMethod' }),
);

/** What promotions give, what they do not give and why, and what is missing for more. */
const promotions = () => ({
  promotions_applied: z.array(
    z.object({ id: z.string(), name: z.string(), code: z.string().nullable(), amount_cents: count() }),
  ),
  promotions_not_applied: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      code: z.string().nullable(),
      reason: z.string(),
      message: z.string(),
    }),
  ),
  hints: z.array(
    z.object({
      kind: z.enum(['free_item', 'free_shipping']),
      promotion: z.string().nullable(),
      missing_units: count().nullable(),
      missing_cents: count().nullable(),
    }),
  ),
});

/** What became otherwise since the cart was last shown. */
const Change = later(() =>
  z.object({
    item_id: z.string().nullable(),
    kind: z.enum(['price', 'stock', 'removed', 'promotion']),
    title: z.string(),
    before: count(),
    after: count(),
  }),
);

export const CartView = later(() =>
  z
    .object({
      id: z.string(),
      currency: z.string(),
      items: z.array(ItemView),
      item_count: count(),
      subtotal_cents: count(),
      discount_cents: count().describe(
        'Promotion discounts on items; for shipping, see shipping_discount_cents',
      ),
      loyalty_discount_cents: count(),
      shipping_cents: count(),
      shipping_discount_cents: count(),
      tax_cents: count(),
      tax_included: z.boolean(),
      total_cents: count(),
      gift_cards: z.array(z.object({ id: z.string(), last4: z.string(), will_use_cents: count() })),
      amount_due_cents: count(),
      codes: z.array(z.object({ code: z.string(), applied: z.boolean() })),
      ...promotions(),
      needs_shipping: z.boolean(),
      shipping_method: ShippingMethodView.nullable(),
      changes: z.array(Change),
      note: z.string().nullable(),
      gift_message: z.string().nullable(),
      version: count(),
    })
    .meta({ id: 'Cart' }),
);
export type CartShown = z.output<typeof CartView>;

export const methodView = ({ method, priceCents }: Offer): z.output<typeof ShippingMethodView> => ({
  id: method.id,
  name: method.name,
  description: method.description,
  price_cents: priceCents,
  eta_min_days: method.etaMinDays,
  eta_max_days: method.etaMaxDays,
});

/** A cart as its shopper gets it. */
export async function cartView(ctx: Ctx, priced: CartPrice): Promise<CartShown> {
  const { cart, lines, price, codes } = priced;
  const { totals, shipping } = price;
  const images = await imagesOf(ctx, lines);
  const applied = price.applied.filter(({ amountCents }) => amountCents > 0);
  const usedCodes = new Set(applied.map(({ code }) => code));
  return {
    id: cart.id,
    currency: cart.currency,
    items: lines.map((line) => itemView(line, images.get(line.line.productId) ?? null)),
    item_count: lines.reduce((sum, { line }) => sum + line.quantity, 0),
    subtotal_cents: totals.subtotalCents,
    discount_cents: totals.itemDiscountCents + totals.orderDiscountCents + totals.loyaltyDiscountCents,
    loyalty_discount_cents: totals.loyaltyDiscountCents,
    shipping_cents: shipping.priceCents,
    shipping_discount_cents: shipping.discountCents,
    tax_cents: totals.taxCents,
    tax_included: priced.includesTax,
    total_cents: totals.totalCents,
    gift_cards: priced.giftCards.map(({ id, last4 }, at) => ({
      id,
      last4,
      will_use_cents: price.giftCards[at] ?? 0,
    })),
    amount_due_cents: totals.dueCents,
    codes: codes
      .filter(({ kind }) => kind === 'promotion')
      .map(({ shown, codeNorm }) => ({ code: shown, applied: usedCodes.has(codeNorm) })),
    promotions_applied: applied.map(({ promotion: { id, name }, code, amountCents }) => ({
      id,
      name,
      code,
      amount_cents: amountCents,
    })),
    promotions_not_applied: notApplied(priced),
    hints: hintsOf(priced),
    needs_shipping: priced.needsShipping,
    shipping_method: priced.method && { ...methodView(priced.method), price_cents: shipping.priceCents },
    changes: changesOf(priced).map(({ itemId, ...change }) => ({ item_id: itemId, ...change })),
    note: cart.note,
    gift_message: cart.giftMessage,
    version: cart.version,
  };
}

/** Pictures of the products, by id: lists of the shop know them already. */
async function imagesOf(ctx: Ctx, lines: readonly PricedLine[]) {
  const cards = await cardsOf(ctx, [...new Set(lines.map(({ line }) => line.productId))]);
  return new Map(cards.map(({ id, image }) => [id, image]));
}

function itemView({ line, unitCents, price }: PricedLine, image: z.output<typeof ImageView> | null) {
  const { giftCard, available, maxQuantity, quantity } = line;
  const isShort = available !== null && available < quantity;
  const title = line.variantTitle === 'Default' ? null : line.variantTitle;
  return {
    id: line.itemId,
    variant_id: line.variantId,
    product_slug: line.slug,
    sku: line.sku,
    title: line.productTitle,
    variant_title: title,
    image,
    quantity,
    unit_cents: unitCents,
    subtotal_cents: price.subtotalCents,
    discount_cents: price.itemDiscountCents + price.orderDiscountCents,
    total_cents: price.subtotalCents - price.itemDiscountCents - price.orderDiscountCents,
    tax_cents: price.taxCents,
    max_quantity: Math.min(MOST_UNITS, maxQuantity ?? MOST_UNITS, available ?? MOST_UNITS),
    gift_card: giftCard && giftDataView(giftCard),
    warnings: isShort ? [available === 0 ? 'sold_out' : 'not_enough_stock'] : [],
  };
}

/** Promotions whose code was entered and that lower nothing, and codes that nothing has any more. */
function notApplied({ cart, codes, price, met }: CartPrice): CartShown['promotions_not_applied'] {
  const refused = price.refused
    .filter(({ code }) => code !== null)
    .map(({ promotion: { id, name }, code, refusal }) => ({
      id,
      name,
      code,
      reason: refusal.reason,
      message: refusalWords(refusal, cart.currency),
    }));
  const orphans = codes
    .filter(({ kind, codeNorm }) => kind === 'promotion' && met.unknown.includes(codeNorm))
    .map(({ refId, shown }) => ({
      id: refId,
      name: shown,
      code: shown,
      reason: 'expired',
      message: 'This promotion has ended.',
    }));
  return [...refused, ...orphans];
}

/** What is missing to get more: a free unit, or free shipping. */
function hintsOf({ price, method }: CartPrice): CartShown['hints'] {
  const units = [...price.missing].map(([id, missing]) => ({
    kind: 'free_item' as const,
    promotion: price.applied.find(({ promotion }) => promotion.id === id)?.promotion.name ?? null,
    missing_units: missing,
    missing_cents: null,
  }));
  const over = method?.method.freeOverCents ?? null;
  const goods = price.lines.reduce(
    (sum, one) => sum + one.subtotalCents - one.itemDiscountCents - one.orderDiscountCents,
    0,
  );
  if (over === null || goods >= over || price.shipping.priceCents === 0) return units;
  return [
    ...units,
    { kind: 'free_shipping', promotion: null, missing_units: null, missing_cents: over - goods },
  ];
}
