import { capability } from '#kernel/capability.ts';
import { shopProductEndpoints } from './endpoints.store.ts';
import { shopProductEvents } from './events.ts';
import { shopProductPages } from './pages.ts';
import { collectionProductRecord, productCategoryRecord } from './places/record.ts';
import {
  optionRecord,
  optionValueRecord,
  productMediaRecord,
  relationRecord,
  shopProductRecord,
  slugRedirectRecord,
  tagRecord,
  variantRecord,
  variantValueRecord,
} from './record.ts';
import { optionResource, optionValueResource, shopProductResource, variantResource } from './resource.ts';
import { wordPages } from './words/pages.ts';

/** What the shop sells: products with their options and variants. */
export const shopProducts = capability({
  name: 'shop-products',
  events: [shopProductEvents],
  storeEndpoints: shopProductEndpoints,
  pages: [...shopProductPages, ...wordPages],
  resources: [shopProductResource, variantResource, optionResource, optionValueResource],
  records: [
    shopProductRecord,
    variantRecord,
    optionRecord,
    optionValueRecord,
    variantValueRecord,
    tagRecord,
    relationRecord,
    productMediaRecord,
    productCategoryRecord,
    collectionProductRecord,
    slugRedirectRecord,
  ],
});
