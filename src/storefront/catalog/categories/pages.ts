import { placedProducts } from '../products/index.ts';
import { get } from './categories.ts';
import { listProducts, replaceProducts } from './links.ts';

/** The products of a category in the panel. */
export const categoryProducts = placedProducts({
  path: '/store/categories',
  title: 'Products of a category',
  note: 'Products of its subcategories are shown too.',
  nameOf: async (ctx, id) => (await get(ctx, id)).name,
  list: listProducts,
  replace: replaceProducts,
});
