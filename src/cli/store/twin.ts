import type { Page } from '#kernel/service/pagination.ts';
import { at, type Desk, type Query } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import type { StoreProduct } from './view.ts';

/** Loads the shop's API when a command runs. */
export const loadStoreApi = async () => (await import('../desk/store.ts')).storeApi;

/** Operations of the shop that commands about products call. */
const twins = async () => {
  const [products, categories] = await Promise.all([
    import('#storefront/catalog/products/resource.ts'),
    import('#storefront/catalog/categories/resource.ts'),
  ]);
  return [
    ...products.shopProductResource.endpoints('store'),
    ...categories.categoryResource.endpoints('store'),
  ];
};

/** Opens the desk of a command about products of the shop. Throws as withDesk does. */
export const withStoreProducts = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

/** What an operation of the shop answers. */
export interface Answer<T> {
  readonly data: T;
}

interface StorePage<T> extends Answer<T[]> {
  readonly pagination: { page: number; per_page: number; total: number; total_pages: number };
}

/** An answer; what does not exist is reported with the command that lists what does. @param group such as `store order` */
export const orListed = <T>(group: string, answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')
      throw notFoundError(error.message, `appctl ${group} list`);
    throw error;
  });

/** A list of the shop as commands print lists. @param limit at most 100 */
export async function pageAt<T>(
  desk: Desk,
  path: string,
  { limit, ...query }: Query & { page: number; limit: number },
): Promise<Page<T>> {
  const { data, pagination } = await desk.get<StorePage<T>>(path, { ...query, per_page: limit });
  const { page, per_page, total, total_pages } = pagination;
  return { items: data, pagination: { page, limit: per_page, total, totalPages: total_pages } };
}

/** Reads a product by its id, its slug or the SKU of one of its variants. */
export const storeProductOf = async (desk: Desk, name: string): Promise<StoreProduct> =>
  (await desk.get<Answer<StoreProduct>>(at`products/${name}`)).data;
