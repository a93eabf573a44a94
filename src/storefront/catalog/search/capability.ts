import { capability } from '#kernel/capability.ts';
import { storeOpen } from '#storefront/contract/settings.ts';
import { shopCatalogEndpoints } from './endpoints.shop.ts';
import { indexProducts } from './jobs.ts';
import { shopSearchLocal } from './local.ts';
import { shopProductEndpoints } from './product-endpoints.ts';
import { productSearchRecord, searchGramRecord, searchWordRecord } from './record.ts';
import { shopSearchEndpoints } from './search-endpoints.ts';
import { shelfOf } from './shelf.ts';

/** Lists and searches of the shop's products. */
export const shopSearch = capability({
  ...shopSearchLocal,
  storeEndpoints: [...shopCatalogEndpoints, ...shopProductEndpoints, ...shopSearchEndpoints],
  jobs: [indexProducts],
  rebuilds: async (ctx) => (await import('./indexing.ts')).rebuildTerms(ctx),
  records: [productSearchRecord, searchWordRecord, searchGramRecord],
  // Ten thousand products take two seconds: the server listens meanwhile, and its first visitor need not wait for all of it.
  start: async (ctx) => {
    if (!ctx.settings.get(storeOpen)) return;
    shelfOf(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'the products of the shop were not read ahead'),
    );
  },
});
