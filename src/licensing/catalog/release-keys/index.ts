import { capability } from '#kernel/capability.ts';
import { signingKeyRecord } from '../signing-keys/index.ts';
import { keyAdminEndpoints } from './admin-endpoints.ts';
import { activateDue } from './succession.ts';

export type { Bridges } from './bridges.ts';
export { type ClientKey, publicKeysForClients } from './client-keys.ts';
export type { KeyOwner } from './registered-key.ts';
export {
  find,
  get,
  list,
  moreOf,
  type NewKey,
  openServerHeld,
  publicKeysOf,
  register,
} from './registry.ts';
export { type Rotated, type Rotation, requireNoRotation, rotate } from './rotation.ts';
export { activate, activateDue, bridgesTo, retire, type Succession } from './succession.ts';

export const releaseKeys = capability({
  name: 'release-keys',
  adminEndpoints: keyAdminEndpoints,
  records: [signingKeyRecord],
  jobs: [
    {
      name: 'key-activation',
      description: 'Puts release keys into use whose time has come, and retires those before them',
      everySeconds: 60,
      // A retired key does not come back: a clock that jumped ahead must not retire one.
      waitsAfterClockStep: true,
      run: activateDue,
    },
  ],
});
