export { flushDue, flushStatistics } from './flush.ts';
export { type Observed, observe } from './observe.ts';
export { deniedValue, EXHAUSTED } from './repository.ts';
