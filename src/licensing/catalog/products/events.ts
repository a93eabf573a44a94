import { defineEvents, event } from '#kernel/events.ts';
import type { ProductStatus } from '#licensing/contract/enumerations.ts';

interface Told {
  slug: string;
  name: string;
  status: ProductStatus;
}

/** What happens to products. */
export const productEvents = defineEvents(
  'license',
  {
    PRODUCT_CREATED: event<Told>(),
    PRODUCT_UPDATED: event<Told>(),
    PRODUCT_STATUS_CHANGED: event<Told>(),
    PRODUCT_DELETED: event<Told & { signingKeyIds: readonly string[] }>(),
  },
  { target: 'products' },
);
