import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import type { KnownBackup } from './catalog.ts';

/** A backup as staff sees it. */
export const BackupView = later(() =>
  z
    .object({
      file: z.string(),
      createdAt: instant(),
      sizeBytes: count(),
      version: z.string().nullable().describe('Of the appctl that made it'),
      database: z.enum(['sqlite', 'postgres']).nullable(),
      label: z.string().nullable(),
      encrypted: z.boolean(),
      verified: z
        .boolean()
        .describe('It was unpacked again and checked when it was made, and its size is unchanged'),
    })
    .meta({ id: 'Backup' }),
);
export type BackupView = z.output<typeof BackupView>;

const ProgressView = later(() =>
  z
    .object({ startedAt: instant(), stage: z.string(), done: count(), total: count().nullable() })
    .meta({ id: 'BackupProgress' }),
);

/** A page of backups, and how the next one is doing. */
export const BackupList = later(() =>
  z
    .object({
      items: z.array(BackupView),
      pagination: Pagination,
      place: z.string().describe('Folder or bucket that they are in'),
      latestAt: instant().nullable().describe('The newest verified backup; null without one'),
      underWay: ProgressView.nullable().describe('The backup that this server is making now'),
    })
    .meta({ id: 'BackupList' }),
);

export const BackupAsked = later(() => z.object({ started: z.literal(true) }).meta({ id: 'BackupAsked' }));

export const backupView = ({
  file,
  createdAt,
  sizeBytes,
  label,
  encrypted,
  verified,
  sidecar,
}: KnownBackup): BackupView => ({
  file,
  createdAt,
  sizeBytes,
  version: sidecar?.version ?? null,
  database: sidecar?.database ?? null,
  label,
  encrypted,
  verified,
});
