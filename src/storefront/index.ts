import type { Capability } from '#kernel/capability.ts';
import { shopCategories } from './catalog/categories/capability.ts';
import { shopCollections } from './catalog/collections/capability.ts';
import { shopMedia } from './catalog/media/capability.ts';
import { shopProducts } from './catalog/products/capability.ts';
import { shopSearch } from './catalog/search/capability.ts';
import { storeLocal } from './local.ts';
import { storeKeyAdministration } from './tools/api-keys/capability.ts';
import { storeAdministration } from './tools/settings/capability.ts';
import { shopPages } from './tools/shop/capability.ts';

export { storeOpen } from './contract/settings.ts';
export { storeSurface } from './surface.ts';

/** Everything that the shop adds to the program. */
export const storefrontCapabilities: readonly Capability[] = [
  storeLocal,
  storeAdministration,
  storeKeyAdministration,
  shopProducts,
  shopCategories,
  shopCollections,
  shopSearch,
  shopPages,
  shopMedia,
];
