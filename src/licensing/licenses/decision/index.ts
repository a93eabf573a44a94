/** The answer to every question about a license, from facts alone: no clock, no database, no request. */

export { decide } from './decide.ts';
export type { Decision, TraceEntry } from './decision.ts';
export { effectiveMaxUses, effectiveMaxVersion } from './effective.ts';
export type {
  Action,
  ActivationFacts,
  Circumstances,
  Facts,
  Features,
  HistoryFacts,
  LicenseFacts,
  PolicyFacts,
  ProductFacts,
  RequestFacts,
} from './facts.ts';
export { entitlementOf, mergeFeatures } from './features.ts';
export { isWithin } from './max-version.ts';
export { usualTextOf } from './messages.ts';
export { type RecordedFacts, recordable } from './recordable.ts';
export { publicAnswer, refusal } from './refusals.ts';
export { isLive, seatsOf } from './seats.ts';
export { graceEnd, statusAt } from './status.ts';
export { crossedMarks, percentUsed, type Usage, usageOf } from './usage.ts';
