export {
  compactDelegation,
  DELEGATION_USES,
  type Delegation,
  type DelegationUse,
  MAX_DELEGATION_DAYS,
  openDelegation,
  readDelegation,
  signDelegation,
  unixSeconds,
} from './delegation.ts';
export { fingerprintFile } from './fingerprint.ts';
export { type AskPassphrase, encodePrivateKey, type KeyNotes, type Passphrase } from './key-encoding.ts';
export {
  publicKeyPath,
  readSmallBytes,
  readSmallFile,
  refuseExisting,
  writeKeyPair,
  writeTextFile,
} from './key-file.ts';
export { type KeyReference, type KeySources, loadSigningKey, parseKeyReference } from './key-reference.ts';
export { type KeyFacts, type KeyShape, type KeyStatus, keyShape, MAX_LABEL_LENGTH } from './key-shape.ts';
export {
  formatPrivateKey,
  formatPublicKey,
  inlinePublicKey,
  PUBLIC_KEY_FORMATS,
  type PublicKeyFormat,
  parsePublicKeys,
} from './public-key-text.ts';
export { openSeed, type SealedKey, sealSeed } from './sealed-seed.ts';

/**
 * Loads the use cases on registered keys. They bring the database layer with them, which an offline command such as
 * `release sign` must not pay for (cli 9).
 */
export const loadSigningKeys = () => import('./signing-keys.ts');
export { selectKeyPage } from './queries.ts';
