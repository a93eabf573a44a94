import { capability } from '#kernel/capability.ts';
import { recoveryCodeRecord, secondFactorRecord } from './record.ts';

/** Authenticator apps and recovery codes of whoever signs in. */
export const secondFactor = capability({
  name: 'second-factor',
  records: [secondFactorRecord, recoveryCodeRecord],
});
