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
    key: column.text(600, 1),
    /** The server that it is about, and that alone judges it; null for what is about the installation. */
    server: column.text(200).nullable(),
    title: column.text(500),
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
/** A server of several on one database, and when it was heard of last. */
export const alertServerRecord = record(
  'alert_servers',
  { name: column.text(200, 1), heardAt: column.time(), createdAt: column.time() },
  { key: ['name'], kept: [{ as: 'alertServers', by: 'heardAt', days: KEPT_DAYS }] },
);

export type Alert = ValuesOf<typeof alertRecord>;
