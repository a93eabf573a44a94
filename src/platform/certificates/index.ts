export { answerTo, proofOf, readChallenges } from './challenges.ts';
export { type AcmeHere, acmeInForce } from './in-force.ts';
export { placeholderFor } from './placeholder.ts';
export type { StoredCertificate } from './record.ts';
export { bringHere, failureOf } from './renew.ts';
export { renewAt } from './renewal.ts';
export { find as findCertificate } from './repository.ts';
export { tellAuthority } from './servers.ts';
