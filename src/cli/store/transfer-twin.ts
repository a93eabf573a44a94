import type { Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { loadStoreApi } from './twin.ts';

/** Operations of the shop that whole products go in and out by. */
const twins = async () => {
  const [categories, media, transfer] = await Promise.all([
    import('#storefront/catalog/categories/resource.ts'),
    import('#storefront/catalog/media/resource.ts'),
    import('#storefront/tools/transfer/endpoints.store.ts'),
  ]);
  return [
    ...categories.categoryResource.endpoints('store'),
    ...media.mediaResource.endpoints('store'),
    ...transfer.transferEndpoints,
  ];
};

/** Opens the desk of an export or an import of products. Throws as withDesk does. */
export const withTransfer = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);
