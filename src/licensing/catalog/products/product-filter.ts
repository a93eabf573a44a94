import type { Ctx } from '#kernel/context.ts';
import { type Filter, filter } from '#kernel/db/selection/filter.ts';
import { find, get } from './products.ts';

type Column = Parameters<typeof filter.lookup>[0]['column'];

/** Narrows a list to what belongs to products, each named by its id or its slug. @param column that holds the id */
export const productFilter = (column: Column, label = 'Product'): Filter =>
  filter.lookup({
    label,
    column,
    resource: 'products',
    id: async (ctx, named) => (await get(ctx, named)).id,
  });

/**
 * The ids of the products that a query of a list names, by id or slug.
 *
 * @returns null where it names none: all of them; none for one that is not there
 */
export async function namedProducts(ctx: Ctx, named: string | undefined): Promise<string[] | null> {
  if (named === undefined || named === '') return null;
  const found = await Promise.all(named.split(',').map((one) => find(ctx, one)));
  return found.flatMap((product) => (product ? [product.id] : []));
}
