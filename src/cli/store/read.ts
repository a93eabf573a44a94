import type { Cli } from '../frame/context.ts';
import { pageAsked } from '../paging.ts';
import { categoryAsked } from './categories.ts';
import { pageAt, storeProductOf, withStoreProducts } from './twin.ts';
import { productCard, productColumns, type StoreProduct } from './view.ts';

/** `appctl store product list`. */
export function listStoreProducts(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), ...plainFilters(cli) };
  return withStoreProducts(cli, async (desk) => {
    const category_id = await categoryAsked(cli, desk);
    await cli.out.page(
      await pageAt<StoreProduct>(desk, 'products', { ...asked, category_id }),
      productColumns,
    );
  });
}

/** The filters of a list of products that need no look at the shop. */
export const plainFilters = (cli: Cli) => ({
  status: cli.option('status'),
  type: cli.option('type'),
  // An empty one looks for nothing.
  q: cli.option('q') || undefined,
  tag: cli.option('tag'),
});

/** `appctl store product show PRODUCT`. */
export function showStoreProduct(cli: Cli): Promise<void> {
  return withStoreProducts(cli, async (desk) => {
    const product = await storeProductOf(desk, cli.argument('product'));
    await cli.out.value(product, productCard(product));
  });
}
