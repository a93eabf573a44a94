import { capability } from '#kernel/capability.ts';
import { keyAdminEndpoints } from './admin-endpoints.ts';
import { keysLocal } from './local.ts';
import { onlineKeyEvents } from './online/events.ts';
import { renewDelegations } from './online/renewal.ts';
import { answerSeals } from './online/signed-answers.ts';
import { signingKeyRecord } from './record.ts';
import { signingKeyEvents } from './release/events.ts';
import { activateDue } from './release/succession.ts';
import { onlineKeyResource, signingKeyResource } from './resource.ts';

/** Keys that sign for a product: release keys, and the online keys to which they delegate (licensing 6.1, D98). */
export const keys = capability({
  ...keysLocal,
  events: [signingKeyEvents, onlineKeyEvents],
  adminEndpoints: keyAdminEndpoints,
  resources: [signingKeyResource, onlineKeyResource],
  records: [signingKeyRecord],
  seal: answerSeals,
  jobs: [
    {
      name: 'key-activation',
      description: 'Activates scheduled release keys when they are due, and retires their predecessors',
      everySeconds: 60,
      // A retired key does not come back: a clock that jumped ahead must not retire one.
      waitsAfterClockStep: true,
      run: activateDue,
    },
    {
      name: 'delegation-renew',
      description: 'Renews delegations of online keys 30 days before they expire, or warns',
      everySeconds: 86_400,
      run: renewDelegations,
    },
  ],
});
