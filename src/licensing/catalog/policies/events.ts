import { change, defineEvents, event } from '#kernel/events.ts';
import { policyRecord } from './record.ts';

interface Named {
  name: string;
}

/** Of a policy that somebody attached or detached; on what it is attached to, the policy alone is told. */
type Linked = Named & { policyId: string; productIds?: readonly string[]; licenseIds?: readonly string[] };

/** What happens to policies. */
export const policyEvents = defineEvents(
  'license',
  {
    POLICY_CREATED: change<Named>(),
    POLICY_UPDATED: change<Named>(),
    POLICY_DELETED: change<Named>(),
    POLICY_ATTACHED: event<Linked>(),
    POLICY_DETACHED: event<Linked>(),
  },
  { target: 'policies', record: policyRecord },
);
