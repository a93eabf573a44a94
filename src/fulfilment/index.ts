import type { Capability } from '#kernel/capability.ts';
import { licenseDesk } from './desk/capability.ts';
import { licenseGrants } from './grants/capability.ts';
import { licenseEnding, licenseMinting } from './minting/capability.ts';
import { shopperLicenses } from './shopper/capability.ts';

/** Everything that joins the two services: there is nothing of it where one of them is not served. */
export const fulfilmentCapabilities: readonly Capability[] = [
  licenseGrants,
  licenseMinting,
  licenseEnding,
  licenseDesk,
  shopperLicenses,
];
