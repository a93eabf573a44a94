export { isMissing, REASONS } from './choose.ts';
export { become } from './effects.ts';
export { retryOrder } from './jobs.ts';
export { type Missing, missingOf } from './missing.ts';
export { type LicensedItem, licensedItems } from './queries.ts';
export {
  type LicenseMint,
  licenseMintRecord,
  MINT_STATUSES,
  type MintStatus,
  WANTED,
} from './record.ts';
export { findMint, mintsOf } from './repository.ts';
export { settleLicenses } from './settle.ts';
