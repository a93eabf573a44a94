import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';

/** The authenticator app of an account. */
export const secondFactorRecord = record(
  'second_factors',
  {
    subjectId: column.text(30, 30),
    secretEnc: column.text(300, 1).secret(),
    /** Null until the first code of the app was right. */
    enabledAt: column.time().nullable(),
    /** The 30 seconds of the code that was used last. */
    lastStep: column.integer(0).aside(),
    createdAt: column.time(),
  },
  { key: ['subjectId'], kept: 'as long as the account' },
);

/** Codes for whoever lost the authenticator app; each works once. */
export const recoveryCodeRecord = record(
  'recovery_codes',
  {
    subjectId: column.text(30, 30),
    /** Keyed, so that a copy of the database cannot be searched for them. */
    codeHash: column.text(43, 43).secret(),
    usedAt: column.time().nullable(),
    createdAt: column.time(),
  },
  { key: ['subjectId', 'codeHash'], kept: 'until others are made' },
);
