import { capability } from '#kernel/capability.ts';
import { navigationEndpoints } from './endpoints.store.ts';
import { navigationEvents } from './events.ts';
import { navigationPage } from './pages.ts';
import { menuRecord } from './record.ts';

/** What the header and the footer of the shop list. */
export const shopNavigation = capability({
  name: 'shop-navigation',
  events: [navigationEvents],
  pages: [navigationPage],
  storeEndpoints: navigationEndpoints,
  records: [menuRecord],
});
