import { capability } from '#kernel/capability.ts';
import { activationEndpoints } from './endpoints.ts';

export { activate } from './activate.ts';
export { deactivate, remove } from './deactivate.ts';

export const activations = capability({ name: 'activations', endpoints: activationEndpoints });
