import { capability } from '#kernel/capability.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { licenseGrantEndpoints } from './endpoints.store.ts';
import { licenseGrantEvents } from './events.ts';
import { licenseGrantPages } from './pages.ts';
import { licenseGrantRecord } from './record.ts';

/** The licenses that variants are sold with. */
export const licenseGrants = capability({
  name: 'license-grants',
  enabledBy: featureSettings.licenses_enabled,
  events: [licenseGrantEvents],
  storeEndpoints: licenseGrantEndpoints,
  pages: licenseGrantPages,
  records: [licenseGrantRecord],
});
