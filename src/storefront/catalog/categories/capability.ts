import { capability } from '#kernel/capability.ts';
import { shopCategoryEndpoints } from './endpoints.shop.ts';
import { categoryEndpoints } from './endpoints.store.ts';
import { categoryEvents } from './events.ts';
import { categoryProducts } from './pages.ts';
import { categoryRecord } from './record.ts';
import { categoryResource } from './resource.ts';

/** The tree that the products of the shop are sorted into. */
export const shopCategories = capability({
  name: 'shop-categories',
  events: [categoryEvents],
  resources: [categoryResource],
  pages: [categoryProducts.page],
  storeEndpoints: [...categoryEndpoints, ...shopCategoryEndpoints],
  records: [categoryRecord],
});
