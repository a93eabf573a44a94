export { flushDailyTotals } from './daily-totals.ts';
export { flushDue, flushStatistics } from './flush.ts';
export { callsOfKeys } from './key-hours/queries.ts';
export { flushKeyHours } from './key-hours.ts';
export { type Observed, observe } from './observe.ts';
export { type DayRange, daysOf, eachDay, momentsOf, type RangeAsked, rangeFields } from './range.ts';
export { DIGEST_LENGTH, deniedValue, EXHAUSTED } from './repository.ts';
