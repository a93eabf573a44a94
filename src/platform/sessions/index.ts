export { sessionKeeper } from './keeper.ts';
export { endsAt } from './lifetime.ts';
export { requireAdminTwoFactor } from './local.ts';
export { removeSession, removeSessions, type SessionOfAccount, sessionsOf } from './of-account.ts';
export { owedBy } from './owed.ts';
export { forgetProof, isFreshProof, noteProof, proofEnds, proofOf } from './proof.ts';
export { customerSessionRows } from './queries.ts';
export { endAll, type ListedSession } from './repository.ts';
export { beginView, endView } from './view-as.ts';
