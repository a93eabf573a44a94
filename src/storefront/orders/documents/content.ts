import type { Ctx } from '#kernel/context.ts';
import { addressLines } from '#storefront/contract/address.ts';
import { storeTaxId } from '#storefront/contract/selling-settings.ts';
import {
  defaultCountry,
  shopNameOf,
  storeAddress,
  storeEmail,
  storePhone,
  timezone,
} from '#storefront/contract/settings.ts';
import type { OrderItem, TaxLine, WholeOrder } from '../orders/index.ts';
import { settlement } from '../orders/index.ts';
import type { DocumentLine, NamedAmount, TaxOfRate } from './model.ts';
import type { IssuedBuyer, IssuedContent } from './record.ts';

export const buyerOf = ({ order, shipping, billing }: WholeOrder): IssuedBuyer => {
  const payer = billing ?? shipping;
  // Every font of documents has Latin letters.
  const lang = new Intl.Locale(order.locale).maximize().script === 'Latn' ? order.locale : 'en';
  return {
    billing: payer ? addressLines(payer, lang) : [order.email],
    shipping: shipping && addressLines(shipping, lang),
    note: order.note,
  };
};

/** Whose document it is, as the settings say it now. */
export function sellerOf(ctx: Ctx): IssuedContent['seller'] {
  const { settings } = ctx;
  return {
    name: shopNameOf(ctx),
    address: (settings.get(storeAddress) ?? '').split('\n').filter((line) => line.trim() !== ''),
    email: settings.get(storeEmail),
    phone: settings.get(storePhone),
    taxId: settings.get(storeTaxId),
  };
}

/** What all documents of an order have in common. */
export const frameOf = (ctx: Ctx, { order }: WholeOrder) => ({
  orderNumber: order.orderNumber,
  timeZone: ctx.settings.get(timezone),
  locale: order.locale,
  currency: order.currency,
  country: ctx.settings.get(defaultCountry),
  seller: sellerOf(ctx),
});

export const lineOf = (item: OrderItem): DocumentLine => ({
  sku: item.sku,
  title: item.title,
  variant: item.variantTitle,
  quantity: item.quantity,
  unitCents: item.unitCents,
  discountCents: item.itemDiscountCents + item.orderDiscountCents,
  netCents: item.netCents,
  taxPpm: item.taxLines.map(({ ppm }) => ppm),
  taxCents: item.taxCents,
  totalCents: item.totalCents,
});

/** An amount that was taxed, with the taxes on it. */
export interface TaxedAmount {
  readonly netCents: number;
  readonly lines: readonly TaxLine[];
}

/** What came together at each rate, in the order in which the rates are met. */
export function taxTable(parts: readonly TaxedAmount[]): TaxOfRate[] {
  const found = new Map<string, TaxOfRate>();
  for (const { netCents, lines } of parts)
    for (const { name, ppm, cents } of lines) {
      const key = `${ppm} ${name}`;
      const { netCents: net = 0, taxCents: tax = 0 } = found.get(key) ?? {};
      found.set(key, { name, ratePpm: ppm, netCents: net + netCents, taxCents: tax + cents });
    }
  return [...found.values()];
}

export const sumOf = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

/** What shipping came to without tax, after its discounts. */
export const shippingNetOf = ({ order }: WholeOrder): number =>
  order.shippingCents - order.shippingDiscountCents - (order.pricesIncludeTax ? order.shippingTaxCents : 0);

/**
 * An invoice as it follows from stored rows. Lines, shipping and tax are net amounts, so that their sum is the total
 * whether prices include tax or not; discounts stand in their lines.
 */
export function invoiceContent(
  ctx: Ctx,
  whole: WholeOrder,
  giftCards: readonly NamedAmount[],
): IssuedContent {
  const { order, items } = whole;
  const shippingCents = shippingNetOf(whole);
  return {
    ...frameOf(ctx, whole),
    refersTo: null,
    lines: items.map(lineOf),
    subtotalCents: sumOf(items, ({ netCents }) => netCents),
    discounts: [],
    shippingCents,
    shippingTaxCents: order.shippingTaxCents,
    taxes: taxTable([
      ...items.map(({ netCents, taxLines }) => ({ netCents, lines: taxLines })),
      { netCents: shippingCents, lines: order.shippingTaxLines ?? [] },
    ]),
    taxCents: order.taxCents,
    totalCents: order.totalCents,
    giftCards,
    // What was paid too much, before an order was edited, goes back and is not for this invoice.
    paidCents: Math.max(0, Math.min(order.paidCents, order.totalCents - order.giftCardCents)),
    dueCents: Math.max(0, settlement(order)),
    exempt: null,
  };
}
