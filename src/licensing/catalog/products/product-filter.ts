import { type Filter, filter } from '#kernel/db/selection/filter.ts';
import { get } from './products.ts';

type Column = Parameters<typeof filter.lookup>[0]['column'];

/** Narrows a list to what belongs to products, each named by its id or its slug. @param column that holds the id */
export const productFilter = (column: Column, label = 'Product'): Filter =>
  filter.lookup({
    label,
    column,
    resource: 'products',
    id: async (ctx, named) => (await get(ctx, named)).id,
  });
