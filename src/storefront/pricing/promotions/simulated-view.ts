import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Simulated } from './simulate.ts';
import { refusalWords } from './words.ts';

const Line = later(() =>
  z.object({
    variant_id: z.string(),
    sku: z.string(),
    quantity: count(),
    unit_cents: count(),
    discountable: z.boolean(),
    discount_cents: count(),
    total_cents: count(),
  }),
);
const Named = { id: z.string(), name: z.string(), code: z.string().nullable() };

/** What a made-up cart would cost. */
export const SimulationView = later(() =>
  z
    .object({
      mode: z.enum(['none', 'best_wins', 'controlled']),
      lines: z.array(Line),
      line_discounts: z.array(count()),
      applied: z.array(
        z.object({
          ...Named,
          amount_cents: count(),
          lines: z.array(count()),
          shipping_cents: count(),
          /** What it was computed from. */
          base_cents: count(),
        }),
      ),
      rejected: z.array(
        z.object({
          ...Named,
          reason: z.string(),
          message: z.string(),
          missing_cents: count().nullable(),
          missing_quantity: count().nullable(),
        }),
      ),
      /** What each would save alone. */
      candidates: z.array(z.object({ ...Named, saving_cents: count() })),
      /** So many more units would complete what a promotion gives. */
      hints: z.array(z.object({ id: z.string(), missing_units: count() })),
      totals: z.object({
        subtotal_cents: count(),
        discount_cents: count(),
        shipping_cents: count(),
        shipping_discount_cents: count(),
        /** Without tax. */
        total_cents: count(),
        currency: z.string(),
      }),
    })
    .meta({ id: 'PromotionSimulation' }),
);

const namedOf = ({ promotion: { id, name }, code }: Simulated['price']['candidates'][number]) => ({
  id,
  name,
  code,
});

export function simulationView(
  { lines, price, mode }: Simulated,
  currency: string,
): z.output<typeof SimulationView> {
  const discounts = price.lines.map((line) => line.itemDiscountCents + line.orderDiscountCents);
  const { totals } = price;
  return {
    mode,
    lines: lines.map(({ variant, quantity, unitCents, isDiscountable }, at) => ({
      variant_id: variant.id,
      sku: variant.sku,
      quantity,
      unit_cents: unitCents,
      discountable: isDiscountable,
      discount_cents: discounts[at] ?? 0,
      total_cents: unitCents * quantity - (discounts[at] ?? 0),
    })),
    line_discounts: discounts,
    applied: price.applied.map((one) => ({
      id: one.promotion.id,
      name: one.promotion.name,
      code: one.code,
      amount_cents: one.amountCents,
      lines: [...one.lines],
      shipping_cents: one.shippingCents,
      base_cents: one.baseCents,
    })),
    rejected: price.refused.map(({ promotion, code, refusal }) => ({
      id: promotion.id,
      name: promotion.name,
      code,
      reason: refusal.reason,
      message: refusalWords(refusal, currency),
      missing_cents: refusal.reason === 'min_subtotal' ? refusal.missingCents : null,
      missing_quantity: refusal.reason === 'min_quantity' ? refusal.missingQuantity : null,
    })),
    candidates: price.candidates.map((one) => ({ ...namedOf(one), saving_cents: one.savingCents })),
    hints: [...price.missing].map(([id, missing_units]) => ({ id, missing_units })),
    totals: {
      subtotal_cents: totals.subtotalCents,
      discount_cents: totals.itemDiscountCents + totals.orderDiscountCents,
      shipping_cents: totals.shippingCents,
      shipping_discount_cents: totals.shippingDiscountCents,
      total_cents: totals.totalCents,
      currency,
    },
  };
}
