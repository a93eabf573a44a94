import { capability } from '#kernel/capability.ts';
import { addressEndpoints } from './endpoints.shop.ts';
import { customerAddressRecord } from './record.ts';

/** Addresses that customers keep. */
export const shopAddresses = capability({
  name: 'shop-addresses',
  records: [customerAddressRecord],
  storeEndpoints: addressEndpoints,
});
