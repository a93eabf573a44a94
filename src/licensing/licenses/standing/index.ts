/** A license as it stands: found by its key or id, read with all that a decision looks at, and judged. */
export { type DeadKeyUse, hasDeadKeyUses, noteUnknownKey, takeDeadKeyUses } from './dead-keys.ts';
export { type Judged, judge, judgedIn } from './judge.ts';
export { activationPublic, licensePublic, maskedKey, openKey, subjectOf } from './public.ts';
export { findDeadKey, listLiveMachines, liveMachinesOf } from './queries.ts';
export {
  findStanding,
  findUpdateStanding,
  holdStanding,
  liveCount,
  type Named,
  type UpdateStanding,
} from './repository.ts';
export { factsOf, keyDigest, namesOf, resolveKey, resolveUpdateKey } from './resolve.ts';
export type { Standing } from './standing.ts';
