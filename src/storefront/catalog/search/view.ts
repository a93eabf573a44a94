import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Facets } from './list.ts';

const Value = z.object({ value: z.string(), count: count() });

/** What a list of products can be narrowed by. */
export const FacetsView = later(() =>
  z
    .object({
      brand: z.array(Value),
      tag: z.array(Value),
      options: z.array(z.object({ name: z.string(), values: z.array(Value) })),
      price: z.object({ min_cents: count(), max_cents: count() }).nullable(),
      on_sale: count(),
      in_stock: count(),
    })
    .meta({ id: 'ProductFacets' }),
);

export const facetsView = ({
  brands,
  tags,
  options,
  price,
  onSale,
  inStock,
}: Facets): z.output<typeof FacetsView> => ({
  brand: [...brands],
  tag: [...tags],
  options: options.map(({ name, values }) => ({ name, values: [...values] })),
  price: price && { min_cents: price.minCents, max_cents: price.maxCents },
  on_sale: onSale,
  in_stock: inStock,
});
