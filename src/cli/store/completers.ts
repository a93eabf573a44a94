import type { Completer } from '../frame/spec.ts';
import { type CategoryNode, flatCategories } from './categories.ts';
import { type Answer, withStoreProducts } from './twin.ts';
import type { StoreProduct } from './view.ts';

/** Slugs of the products of the shop; more would not be read on a key press. */
export const completeStoreProducts: Completer = (cli) =>
  withStoreProducts(cli, async (desk) => {
    const { data } = await desk.get<Answer<StoreProduct[]>>('products', { per_page: 100, sort: 'title' });
    return data.map(({ slug }) => slug);
  });

/** Slugs of the categories of the shop. */
export const completeCategories: Completer = (cli) =>
  withStoreProducts(cli, async (desk) =>
    flatCategories((await desk.get<Answer<CategoryNode[]>>('categories')).data).map(({ slug }) => slug),
  );
