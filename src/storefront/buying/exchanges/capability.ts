import { capability } from '#kernel/capability.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { exchangeEndpoints } from './endpoints.store.ts';
import { exchangePage } from './exchange-page.ts';

/** Goods in exchange for returned ones. */
export const shopExchanges = capability({
  name: 'shop-exchanges',
  enabledBy: featureSettings.returns_enabled,
  storeEndpoints: exchangeEndpoints,
  pages: [exchangePage],
});
