/**
 * Who holds which license: the rows of `license_activations` and `license_trial_uses`, and what is told when they
 * change. Its verbs are called under the lock of the license, which `licenses` takes.
 */
export {
  claimStale,
  holdStale,
  type MissedMachine,
  MOST_CLAIMED,
  see,
  seeAll,
} from './alive/repository.ts';
export { bind } from './bind.ts';
export { type Ended, endAll, endUntold } from './end-all.ts';
export { type EndedPlace, removeEnded } from './ended/repository.ts';
export { free } from './free.ts';
export { machineOf, machineSearch } from './queries.ts';
export { activationRecord } from './record.ts';
export { extend, findLastExpired, findNextEnd, findOldest } from './repository.ts';
export { sweep } from './sweep.ts';
export { churnOf, mergeTrials, trialPastOf, trialSubjectsOf } from './trials/history.ts';
export { lockTrial, noteTrial } from './trials/repository.ts';
