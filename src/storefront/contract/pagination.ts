import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';

/** Where a page stands in a list of the shop (storefront-api.md 1.1). */
export const ShopPagination = z
  .object({ page: count(), per_page: count(), total: count(), total_pages: count() })
  .meta({ id: 'ShopPagination' });

export const shopPagination = (
  page: number,
  perPage: number,
  total: number,
): z.output<typeof ShopPagination> => ({
  page,
  per_page: perPage,
  total,
  total_pages: Math.ceil(total / perPage),
});
