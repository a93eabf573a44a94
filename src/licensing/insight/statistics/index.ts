export { flushDue, flushStatistics } from './flush.ts';
export { type Observed, observe } from './observe.ts';
export { DIGEST_LENGTH, deniedValue, EXHAUSTED } from './repository.ts';
