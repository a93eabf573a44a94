import { capability } from '#kernel/capability.ts';
import { renewDelegations } from './renewal.ts';
import { answerSeals } from './signed-answers.ts';

export { create, delegate, list } from './online-keys.ts';
export { renewOf } from './renewal.ts';
export { type OnlineSigner, signerFor, signMessage } from './signer.ts';
export type { OnlineKey } from './view.ts';

export const onlineKeys = capability({
  name: 'online-keys',
  seal: answerSeals,
  jobs: [
    {
      name: 'delegation-renew',
      description: 'Renews delegations of online keys 30 days before they end, or warns',
      everySeconds: 86_400,
      run: renewDelegations,
    },
  ],
});
