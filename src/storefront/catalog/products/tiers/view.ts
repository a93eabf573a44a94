import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import type { PriceTier } from '#storefront/contract/unit-price.ts';

/** What a unit costs from a quantity on. */
export const PriceTierView = z
  .object({ min_quantity: count(), unit_cents: count() })
  .meta({ id: 'PriceTier' });

export const priceTierView = ({ minQuantity, unitCents }: PriceTier): z.output<typeof PriceTierView> => ({
  min_quantity: minQuantity,
  unit_cents: unitCents,
});
