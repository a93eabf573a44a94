import { capability } from '#kernel/capability.ts';
import { activationEndpoints } from './endpoints.ts';

export { activate } from './activate.ts';
export { bind } from './bind.ts';
export { clear, type Ended, endAll } from './clear.ts';
export { deactivate, remove } from './deactivate.ts';
export { free } from './free.ts';
export { churnOf, mergeTrials, trialPastOf, trialSubjectsOf } from './history.ts';
export { findOldest } from './repository.ts';
export { lockAfresh, lockAndSweep, sweep } from './sweep.ts';

export const activations = capability({ name: 'activations', endpoints: activationEndpoints });
