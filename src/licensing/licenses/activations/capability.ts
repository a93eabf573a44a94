import { capability } from '#kernel/capability.ts';
import { activationRecord } from './record.ts';

export const activations = capability({ name: 'activations', records: [activationRecord] });
