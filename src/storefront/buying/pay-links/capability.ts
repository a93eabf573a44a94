import { capability } from '#kernel/capability.ts';
import { payLinkEndpoints } from './endpoints.store.ts';
import { linkPage } from './link-page.ts';

/** Paying an order by a mailed link. */
export const shopPayLinks = capability({
  name: 'shop-pay-links',
  storeEndpoints: payLinkEndpoints,
  pages: [linkPage],
});
