import { capability } from '#kernel/capability.ts';
import { validationEndpoints } from './endpoints.ts';

export { type DeadKeyUse, hasDeadKeyUses, noteUnknownKey, takeDeadKeyUses } from './dead-keys.ts';
export { type Decision, decide, type TraceEntry } from './decide.ts';
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
} from './facts.ts';
export { entitlementOf, mergeFeatures } from './features.ts';
export { judge } from './judge.ts';
export { expireAmong, lockAndExpire, lockFirst, lockStanding } from './lock.ts';
export { isWithin } from './max-version.ts';
export { activationPublic, licensePublic, openKey, subjectOf } from './public.ts';
export { listLiveMachines, liveMachinesOf } from './queries.ts';
export type { RecordedFacts } from './recordable.ts';
export { publicAnswer, refusal } from './refusals.ts';
export {
  findStanding,
  liveCount,
  type Named,
  type UpdateStanding,
} from './repository.ts';
export { factsOf, keyDigest, namesOf, resolveKey, resolveUpdateKey } from './resolve.ts';
export { UsageReply, ValidateBody, type ValidateInput } from './schemas.ts';
export { isLive, seatsOf } from './seats.ts';
export type { Standing } from './standing.ts';
export { graceEnd, statusAt } from './status.ts';
export { crossedMarks, percentUsed, type Usage, usageOf } from './usage.ts';
export { check, type Validation, validate } from './validation.ts';

export const validation = capability({ name: 'validation', endpoints: validationEndpoints });
