import { capability } from '#kernel/capability.ts';
import { shopCatalogEndpoints } from './endpoints.shop.ts';

/** Lists and searches of the shop's products. */
export const shopSearch = capability({ name: 'shop-search', storeEndpoints: shopCatalogEndpoints });
