import { capability } from '#kernel/capability.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { licenseChecks } from './agreement/checks.ts';
import { orderLicenseEndpoints } from './endpoints.store.ts';
import { licenseMintEvents } from './events.ts';
import { licenseMintPages } from './pages.ts';
import { licenseMintResource } from './resource.ts';

/** Licenses of orders as staff work with them. */
export const licenseDesk = capability({
  name: 'license-desk',
  enabledBy: featureSettings.licenses_enabled,
  events: [licenseMintEvents],
  checks: licenseChecks,
  storeEndpoints: orderLicenseEndpoints,
  pages: licenseMintPages,
  resources: [licenseMintResource],
});
