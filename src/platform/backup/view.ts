import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import type { KnownBackup } from './catalog.ts';
import type { LastRestore } from './last-restore.ts';

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

/** One of them, and whether the server that is asked restores it. */
export const BackupDetails = later(() =>
  BackupView.extend({
    schemaVersion: z.string().nullable(),
    sha256: z.string().nullable(),
    masterKeyId: z.string().nullable(),
    restoreRefusal: z
      .string()
      .nullable()
      .describe('Why this server cannot restore it by itself; null if it can. `appctl restore` still can'),
  }).meta({ id: 'BackupDetails' }),
);

const LastRestoreView = later(() =>
  z
    .object({
      file: z.string(),
      by: z.string().describe('Who asked for it'),
      at: instant(),
      error: z.string().nullable().describe('Why nothing was restored; null if it was'),
      previous: z.string().nullable().describe('The backup of what was there before'),
    })
    .meta({ id: 'LastRestore' }),
);

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
      lastRestore: LastRestoreView.nullable().describe('The last restore that this server was asked for'),
    })
    .meta({ id: 'BackupList' }),
);

export const BackupAsked = later(() => z.object({ started: z.literal(true) }).meta({ id: 'BackupAsked' }));

export const VerificationAsked = later(() =>
  z.object({ taskId: z.string() }).meta({ id: 'BackupVerificationAsked' }),
);

export const RestoreBody = later(() =>
  z.strictObject({ name: z.string().max(200).describe('`service_name` of the installation, to confirm') }),
);

export const RestoreAsked = later(() =>
  z.object({ started: z.literal(true), file: z.string() }).meta({ id: 'RestoreAsked' }),
);

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

/** @param refusal why the server cannot restore it; null when it can */
export const backupDetails = (one: KnownBackup, refusal: string | null): z.output<typeof BackupDetails> => ({
  ...backupView(one),
  schemaVersion: one.sidecar?.schemaVersion ?? null,
  sha256: one.sidecar?.sha256 ?? null,
  masterKeyId: one.sidecar?.masterKeyId ?? null,
  restoreRefusal: refusal,
});

/** What a file of the data directory says is read as it was written: a newer program may have added to it. */
export const lastRestoreView = (last: LastRestore | null): z.output<typeof LastRestoreView> | null =>
  last && { file: last.file, by: last.by, at: last.at, error: last.error, previous: last.previous };
