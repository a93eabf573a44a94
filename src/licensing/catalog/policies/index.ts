export { attach, detach, type PolicyTargets } from './links.ts';
export { amended, create, find, get, list, remove, update } from './policies.ts';
export type { Policy } from './repository.ts';
export { type PolicyCreateInput, PolicyUpdate, type PolicyUpdateInput } from './schemas.ts';
