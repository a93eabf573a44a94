export { attach, detach, type PolicyTargets } from './links.ts';
export { create, find, get, list, remove, update } from './policies.ts';
export type { Policy } from './repository.ts';
export type { PolicyCreateInput, PolicyUpdateInput } from './schemas.ts';
