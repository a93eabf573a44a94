import { capability } from '#kernel/capability.ts';
import { originalsJob, variantsJob } from '#platform/media/index.ts';
import { webpQuality } from '#storefront/contract/settings.ts';
import { catalogChanged } from '../products/index.ts';
import { mediaEndpoints } from './endpoints.shop.ts';
import { mediaPages } from './pages.ts';
import { rebuildEndpoints } from './rebuild.ts';
import { mediaResource } from './resource.ts';
import { usesOf } from './uses.ts';

/** The pictures of the shop: the library of staff, and what everybody sees. */
export const shopMedia = capability({
  name: 'shop-media',
  storeEndpoints: [...mediaEndpoints, ...rebuildEndpoints],
  resources: [mediaResource],
  pages: mediaPages,
  jobs: [
    variantsJob({
      quality: ({ settings }) => settings.get(webpQuality),
      // Fifty pictures that nothing shows yet would have every page of the shop made anew fifty times.
      settled: async (ctx, mediaId) => {
        if ((await usesOf(ctx, [mediaId])).length > 0) await catalogChanged(ctx);
      },
    }),
    originalsJob,
  ],
});
