import { capability } from '#kernel/capability.ts';
import { policyEvents } from './events.ts';
import { policyRecord } from './record.ts';

/** Rules that products and licenses name. */
export const policies = capability({ name: 'policies', events: [policyEvents], records: [policyRecord] });
