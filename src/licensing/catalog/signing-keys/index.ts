export { type Continuity, continuityParts, openContinuity, signContinuity } from './continuity.ts';
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
export { decodeForeignKey, decodePrivateKey, encodePrivateKey, looksPrivate } from './key-encoding.ts';
export {
  publicKeyPath,
  readPrivateFile,
  readSmallBytes,
  readSmallFile,
  refuseExisting,
  writeKeyPair,
  writeTextFile,
} from './key-file.ts';
export {
  type KeyReference,
  type KeySources,
  type LoadedKey,
  loadSigningKey,
  parseKeyReference,
} from './key-reference.ts';
export { type KeyFacts, type KeyShape, type KeyStatus, keyShape, MAX_LABEL_LENGTH } from './key-shape.ts';
export { isMinisignSecret, minisignNumber, ownMinisignId, statedMinisignId } from './minisign-key.ts';
export type { AskPassphrase, Passphrase } from './passphrase.ts';
export type { KeyNotes, PrivateKey } from './private-key.ts';
export {
  formatPrivateKey,
  formatPublicKey,
  inlinePublicKey,
  PUBLIC_KEY_FORMATS,
  type PublicKeyFormat,
  parsePublicKeys,
} from './public-key-text.ts';
export { selectKeyPage } from './queries.ts';
export { signingKeyRecord } from './record.ts';
export { type HeldKey, openSeed, type SealedKey, sealSeed } from './sealed-seed.ts';
