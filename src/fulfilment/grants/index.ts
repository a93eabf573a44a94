export { defaultSeats, getGrant, mostUnits, removeGrant, requireGrant, setGrant } from './grants.ts';
export type { LicenseGrant } from './record.ts';
export {
  licenseCartLimits,
  licenseSnapshots,
  renewalSnapshot,
  renewedLicense,
  type SoldLicense,
  soldLicense,
} from './snapshot.ts';
export { licensesOfVariants } from './variant-licenses.ts';
