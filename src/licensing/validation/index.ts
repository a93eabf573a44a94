import { capability } from '#kernel/capability.ts';
import { validationEndpoints } from './endpoints.ts';

export { type Decision, decide, type TraceEntry } from './decide.ts';
export { effectiveMaxUses, effectiveMaxVersion } from './effective.ts';
export type { Facts, Features, HistoryFacts, LicenseFacts, PolicyFacts } from './facts.ts';
export { entitlementOf, mergeFeatures } from './features.ts';
export { judge } from './judge.ts';
export { activationPublic, licensePublic, openKey, subjectOf } from './public.ts';
export { listLiveMachines, liveMachinesOf } from './queries.ts';
export { refusal } from './refusals.ts';
export {
  findStanding,
  liveCount,
  lockFirst,
  lockStanding,
  type Named,
  type Standing,
} from './repository.ts';
export { factsOf, keyDigest, namesOf, resolveKey } from './resolve.ts';
export { ValidateBody, type ValidateInput } from './schemas.ts';
export { seatsOf } from './seats.ts';
export { graceEnd, statusAt } from './status.ts';
export { usageOf } from './usage.ts';
export { check, type Validation, validate } from './validation.ts';

export const validation = capability({ name: 'validation', endpoints: validationEndpoints });
