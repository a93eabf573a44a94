import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

/** What a check that takes long found when it last ran. */
export const checkResultRecord = record(
  'check_results',
  {
    checkId: column.text(100, 1),
    status: column.choice(['ok', 'warn', 'fail', 'skip']),
    message: column.text(10_000),
    hint: column.text(10_000).nullable(),
    isTrouble: column.flag(),
    ms: column.integer(0),
    checkedAt: column.time().stored('created_at'),
  },
  { key: ['checkId'], kept: 'one for each check, until it runs again' },
);
export type CheckResult = ValuesOf<typeof checkResultRecord>;
