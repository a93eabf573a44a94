import { capability } from '#kernel/capability.ts';
import { machineEndpoints } from './endpoints.ts';

export { activate } from './activate.ts';
export { clear } from './clear.ts';
export { deactivate, remove } from './deactivate.ts';

export const machines = capability({ name: 'machines', endpoints: machineEndpoints });
