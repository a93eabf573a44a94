export { policyEvents } from './events.ts';
export { amended, create, find, get, list, remove, update } from './policies.ts';
export { policyRows } from './queries.ts';
export { type Policy, policyRecord } from './record.ts';
export { PolicyCreate, type PolicyCreateInput, PolicyUpdate, type PolicyUpdateInput } from './schemas.ts';
