import { capability } from '#kernel/capability.ts';
import { machineEndpoints } from './endpoints.ts';

export const machines = capability({ name: 'machines', endpoints: machineEndpoints });
