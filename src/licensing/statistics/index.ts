export { flushStatistics } from './flush.ts';
export { type Observed, observe } from './observe.ts';
export { deniedValue, type ObservationKind, pairValue } from './repository.ts';
