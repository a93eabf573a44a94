import { change, defineEvents } from '#kernel/events.ts';
import type { ProductStatus } from '#licensing/contract/enumerations.ts';
import { productRecord } from './record.ts';

interface Told {
  slug: string;
  name: string;
  status: ProductStatus;
}

/** What happens to products. */
export const productEvents = defineEvents(
  'license',
  {
    PRODUCT_CREATED: change<Told>(),
    PRODUCT_UPDATED: change<Told>(),
    PRODUCT_STATUS_CHANGED: change<Told>(),
    PRODUCT_DELETED: change<Told & { signingKeyIds: readonly string[] }>(),
  },
  { target: 'products', record: productRecord },
);
