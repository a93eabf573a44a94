import { change, defineEvents } from '#kernel/events.ts';
import { type LicenseGrant, licenseGrantRecord } from './record.ts';

type Told = Pick<LicenseGrant, 'licenseProductId' | 'type' | 'tier'>;

/** What happens to the licenses that variants are sold with. */
export const licenseGrantEvents = defineEvents(
  'store',
  { 'license_grant.set': change<Told>(), 'license_grant.removed': change<Told>() },
  { target: 'shop-variants', record: licenseGrantRecord },
);
