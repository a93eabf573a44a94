export { create as createOnline, delegate, list as listOnline } from './online/online-keys.ts';
export { type OnlineSigner, signerFor, signMessage } from './online/signer.ts';
export type { OnlineKey } from './online/view.ts';
export { signingKeyRecord } from './record.ts';
export type { Bridges } from './release/bridges.ts';
export { type ClientKey, publicKeysForClients } from './release/client-keys.ts';
export type { KeyOwner } from './release/registered-key.ts';
export {
  find,
  get,
  list,
  moreOf,
  type NewKey,
  openServerHeld,
  publicKeysOf,
  register,
} from './release/registry.ts';
export { type Rotated, type Rotation, requireNoRotation, rotate } from './release/rotation.ts';
export { activate, activateDue, bridgesTo, retire, type Succession } from './release/succession.ts';
