import { capability } from '#kernel/capability.ts';
import { licenseMintRecord } from './record.ts';

/** Licenses of orders: made, suspended, brought back and revoked in the transaction of what happens to the order. */
export const licenseMinting = capability({ name: 'license-minting', records: [licenseMintRecord] });
