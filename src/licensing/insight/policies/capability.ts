import { capability } from '#kernel/capability.ts';
import { policyResource } from './resource.ts';

/** Administration of policies: what they govern and what a change of them would do lies in wings above the policies. */
export const policyAdministration = capability({
  name: 'policy-administration',
  resources: [policyResource],
});
