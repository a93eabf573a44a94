import type { Page } from '#kernel/service/pagination.ts';
import type { ProductView } from '#licensing/catalog/products/view.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { productOf, withProducts } from './twin.ts';
import { writeProduct } from './write.ts';

const columns: readonly Column<ProductView>[] = [
  { key: 'id' },
  { key: 'slug' },
  { key: 'name' },
  { key: 'status' },
  { key: 'type' },
  { key: 'defaultLicenseType', title: 'license type' },
  { key: 'defaultMaxActivations', title: 'machines', align: 'right' },
  { key: 'licenses', align: 'right' },
  { key: 'newestRelease', title: 'newest release' },
  { key: 'createdAt', title: 'created', time: true },
];

/** `appctl product list`. */
export function listProducts(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), status: cli.option('status'), q: cli.option('q') };
  return withProducts(cli, async (desk) => cli.out.page(await listed(desk, asked), columns));
}

/** An API key sees what an application sees: the products that are sold. */
async function listed(desk: Desk, asked: Asked): Promise<Page<ProductView>> {
  if (!desk.byApiKey) return desk.get('products', asked);
  const { status, q, page, limit } = asked;
  if ((status ?? 'ACTIVE') !== 'ACTIVE' || q !== undefined) {
    const flag = q === undefined ? `--status ${status}` : '--q';
    throw usageError(`${flag} needs a login or an admin token: an API key only lists ACTIVE products`);
  }
  const { products, pagination } = await desk.byApiKey<{
    products: ProductView[];
    pagination: Page<ProductView>['pagination'];
  }>('GET', `products?page=${page}&limit=${limit}`);
  return { items: products, pagination };
}

type Asked = ReturnType<typeof pageAsked> & { status: string | undefined; q: string | undefined };

/** `appctl product show PRODUCT`. */
export function showProduct(cli: Cli): Promise<void> {
  return withProducts(cli, async (desk) => writeProduct(cli, await productOf(desk, cli.argument('product'))));
}
