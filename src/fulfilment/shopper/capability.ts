import { capability } from '#kernel/capability.ts';
import { licenseEndpoints } from './endpoints.shop.ts';
import { licensePages } from './license-pages.ts';
import { shopperLicensesLocal } from './local.ts';

/** Licenses as whoever bought them sees them: with their orders, in the account, by JSON. */
export const shopperLicenses = capability({
  ...shopperLicensesLocal,
  storeEndpoints: licenseEndpoints,
  pages: licensePages,
});
