import { capability } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { productEvents } from '../products/index.ts';
import { keyAdminEndpoints } from './admin-endpoints.ts';
import { onlineKeyEvents } from './online/events.ts';
import { renewDelegations } from './online/renewal.ts';
import { answerSeals } from './online/signed-answers.ts';
import { signingKeyRecord } from './record.ts';
import { signingKeyEvents } from './release/events.ts';
import { removeOf } from './release/repository.ts';
import { activateDue } from './release/succession.ts';

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

/** Keys that sign for a product: release keys, and the online keys to which they delegate (licensing 6.1, D98). */
export const keys = capability({
  name: 'keys',
  events: [signingKeyEvents, onlineKeyEvents],
  adminEndpoints: keyAdminEndpoints,
  records: [signingKeyRecord],
  subscribers: [on(productEvents, 'PRODUCT_DELETED', (ctx, { subject }) => removeOf(ctx, subject))],
  seal: answerSeals,
  jobs: [
    {
      name: 'key-activation',
      description: 'Puts release keys into use whose time has come, and retires those before them',
      everySeconds: 60,
      // A retired key does not come back: a clock that jumped ahead must not retire one.
      waitsAfterClockStep: true,
      run: activateDue,
    },
    {
      name: 'delegation-renew',
      description: 'Renews delegations of online keys 30 days before they end, or warns',
      everySeconds: 86_400,
      run: renewDelegations,
    },
  ],
});
