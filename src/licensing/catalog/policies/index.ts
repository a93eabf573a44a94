import { capability } from '#kernel/capability.ts';
import { policyEvents } from './events.ts';
import { policyRecord } from './record.ts';

export { policyEvents } from './events.ts';
export { amended, create, find, get, list, remove, update } from './policies.ts';
export { type Policy, policyRecord } from './record.ts';
export { type PolicyCreateInput, PolicyUpdate, type PolicyUpdateInput } from './schemas.ts';

/** Rules that products and licenses name. */
export const policies = capability({ name: 'policies', events: [policyEvents], records: [policyRecord] });
