export { type CallsOfDay, callsOfKeys, listCallDays } from './calls/queries.ts';
export { percentile } from './calls/steps.ts';
export { flushCalls } from './calls.ts';
export { flushDailyTotals } from './daily-totals.ts';
export { flushDue, flushStatistics } from './flush.ts';
export { type Observed, observe } from './observe.ts';
export { type DayRange, daysOf, eachDay, momentsOf, type RangeAsked, rangeFields } from './range.ts';
export { DIGEST_LENGTH, deniedValue, EXHAUSTED } from './repository.ts';
