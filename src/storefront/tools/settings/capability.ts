import { capability } from '#kernel/capability.ts';
import { dashboardEndpoints, storeHomePages } from '../home/index.ts';
import { brandChecks } from './checks.ts';
import { shopConfigEndpoints } from './endpoints.shop.ts';
import { storeSettingsEndpoints } from './endpoints.store.ts';
import { settingsPages } from './pages.ts';

/** The start of the shop's part of the panel, settings and features, for staff; and what its pages need to know of them. */
export const storeAdministration = capability({
  name: 'store-settings',
  storeEndpoints: [...dashboardEndpoints, ...shopConfigEndpoints, ...storeSettingsEndpoints],
  checks: brandChecks,
  pages: [...storeHomePages, ...settingsPages],
});
