// The worked examples of the price engine: promotions, their allocation, tax and totals, to the minor unit.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { price } from '#storefront/pricing/engine/index.ts';
import { cartOf, promotionOf, type Vector } from './carts.ts';

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, 'promotion-vectors.json'), 'utf8'),
) as Vector[];

it('there are all of them', () => {
  expect(vectors).toHaveLength(28);
});

it.each(vectors.map((one) => [one.name, one.why, one] as const))('%s: %s', (_name, _why, vector) => {
  const { cart, promos, mode, expect: wanted } = vector;
  const { lines, shipping, applied, giftCards, totals } = price(cartOf(cart), promos.map(promotionOf), {
    mode,
    maxStack: cart.max_stack ?? 5,
  });
  expect({
    applied: applied.map(({ promotion }) => promotion.id),
    per_promo: Object.fromEntries(applied.map(({ promotion, amountCents }) => [promotion.id, amountCents])),
    line_discounts: lines.map((line) => line.itemDiscountCents + line.orderDiscountCents),
    line_net: lines.map(({ netCents }) => netCents),
    line_tax: lines.map(({ taxCents }) => taxCents),
    rate_split: lines.map(({ parts }) => parts),
    subtotal: totals.subtotalCents,
    discount_total: totals.itemDiscountCents + totals.orderDiscountCents + totals.loyaltyDiscountCents,
    shipping: totals.shippingCents,
    shipping_discount: totals.shippingDiscountCents,
    ship_tax: shipping.taxCents,
    tax_total: totals.taxCents,
    total: totals.totalCents,
    gift_card_used: giftCards,
    amount_due: totals.dueCents,
  }).toEqual(wanted);
});
