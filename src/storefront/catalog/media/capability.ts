import { capability } from '#kernel/capability.ts';
import { variantsJob } from '#platform/media/index.ts';
import { webpQuality } from '#storefront/contract/settings.ts';
import { catalogChanged } from '../products/index.ts';
import { mediaEndpoints } from './endpoints.shop.ts';
import { mediaPages } from './pages.ts';
import { mediaResource } from './resource.ts';

/** The pictures of the shop: the library of staff, and what everybody sees. */
export const shopMedia = capability({
  name: 'shop-media',
  storeEndpoints: mediaEndpoints,
  resources: [mediaResource],
  pages: mediaPages,
  jobs: [variantsJob({ quality: ({ settings }) => settings.get(webpQuality), settled: catalogChanged })],
});
