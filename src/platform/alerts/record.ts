import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ alert: 'alr' });

/** Days for which alerts that are over are listed. */
const KEPT_DAYS = 90;
const LONG = 10_000;

/** Something that an operator must know, from when it was seen until it is over. */
export const alertRecord = record(
  'alerts',
  {
    id: column.id(ids.alert),
    /** What it is about: the id of a check, and what the check found it in: `jobs.last-run:backup`. */
    key: column.text(300, 1),
    title: column.text(300),
    message: column.text(LONG),
    /** What cures it. */
    hint: column.text(LONG).nullable(),
    createdAt: column.time(),
    /** Not found any more since then; it is over when it stays away. */
    absentSince: column.time().nullable(),
    endedAt: column.time().nullable(),
  },
  { kept: [{ as: 'alerts', by: 'endedAt', days: KEPT_DAYS }] },
);
export type Alert = ValuesOf<typeof alertRecord>;
