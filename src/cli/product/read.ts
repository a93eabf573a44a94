import * as products from '#licensing/catalog/products/index.ts';
import { type ProductView, productView } from '#licensing/catalog/products/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { writeProduct } from './write.ts';

const columns: readonly Column<ProductView>[] = [
  { key: 'id' },
  { key: 'slug' },
  { key: 'name' },
  { key: 'status' },
  { key: 'type' },
  { key: 'defaultLicenseType', title: 'license type' },
  { key: 'defaultMaxActivations', title: 'machines', align: 'right' },
  { key: 'createdAt', title: 'created', time: true },
];

/** `appctl product list`. */
export function listProducts(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const status = cli.option('status') as ProductView['status'] | undefined;
    const page = await products.list(ctx, { ...pageAsked(cli), status, q: cli.option('q') });
    await cli.out.page({ ...page, items: page.items.map(productView) }, columns);
  });
}

/** `appctl product show PRODUCT`. */
export function showProduct(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await writeProduct(cli, productView(await products.get(ctx, cli.argument('product'))));
  });
}
