import { capability } from '#kernel/capability.ts';
import { shopCollectionEndpoints } from './endpoints.shop.ts';
import { collectionEndpoints } from './endpoints.store.ts';
import { collectionEvents } from './events.ts';
import { collectionProducts, rulesPage } from './pages.ts';
import { collectionRecord } from './record.ts';
import { collectionResource } from './resource.ts';

/** Choices of products, made by hand or by rules. */
export const shopCollections = capability({
  name: 'shop-collections',
  events: [collectionEvents],
  resources: [collectionResource],
  pages: [collectionProducts.page, rulesPage],
  storeEndpoints: [...collectionEndpoints, ...shopCollectionEndpoints],
  records: [collectionRecord],
});
