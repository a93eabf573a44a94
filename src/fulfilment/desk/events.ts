import { change, defineEvents } from '#kernel/events.ts';
import { type LicenseMint, licenseMintRecord } from '../minting/index.ts';

type Told = Pick<LicenseMint, 'orderId' | 'licenseId' | 'status'> & { readonly reason: string | null };

/** What staff do with licenses of orders; what becomes of the license itself, the license service tells. */
export const licenseMintEvents = defineEvents(
  'store',
  {
    'order_license.suspend': change<Told>(),
    'order_license.reinstate': change<Told>(),
    'order_license.revoke': change<Told>(),
    'order_license.mint': change<Told>(),
  },
  { target: 'license-grants', record: licenseMintRecord },
);
