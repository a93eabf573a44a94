import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import { fail } from '#kernel/service/errors.ts';
import {
  type KnownBackup,
  knownBackup,
  listBackups,
  newestBackup,
  readSidecar,
  sizeInPlace,
} from './catalog.ts';
import { deskOf, restorerOf } from './desk.ts';
import { backupEvents } from './events.ts';
import { type LastRestore, readLastRestore } from './last-restore.ts';
import { partsOfName } from './names.ts';
import { openBackupPlace } from './place.ts';
import { type BackupProgress, backupUnderWay } from './progress.ts';
import { backupJob } from './scheduled.ts';

/** What there is to see of backups. */
export interface BackupsSeen {
  /** The newest first. */
  readonly backups: readonly KnownBackup[];
  readonly place: string;
  readonly latestAt: string | null;
  readonly underWay: BackupProgress | null;
  readonly lastRestore: LastRestore | null;
}

/** @throws AppError INSUFFICIENT_SCOPE for who does not see all tenants; StorageFailure for a place that cannot be read */
export async function backups(ctx: Ctx): Promise<BackupsSeen> {
  const { config } = deskOf(ctx);
  const place = await openBackupPlace(config);
  return {
    backups: await listBackups(place),
    place: place.display,
    latestAt: (await newestBackup(config, ctx))?.createdAt ?? null,
    underWay: await backupUnderWay(config),
    lastRestore: readLastRestore(config),
  };
}

/** Makes a backup as the configuration says, and does not wait for it. @throws AppError CONFLICT while one is made */
export async function beginBackup(ctx: Ctx): Promise<void> {
  deskOf(ctx);
  await schedulerOf(ctx).start(ctx, backupJob.name);
}

/** Why this server cannot restore by itself, in a sentence; null when it can. */
export async function restoreRefusal(ctx: Ctx, one: KnownBackup): Promise<string | null> {
  const { config } = deskOf(ctx);
  if (one.encrypted && config.backup.passphrase === undefined)
    return 'the backup is encrypted, and this server does not have the key that opens it';
  // Whichever of them answers.
  if (config.workers > 1) return `${config.workers} processes serve this installation`;
  const restorer = restorerOf(ctx);
  return restorer === null ? 'this process cannot start the server again' : restorer.refusal();
}

/**
 * Has the server stop, restore a backup, and start again.
 *
 * @throws AppError NOT_FOUND; CONFLICT where the server cannot, and while another restore begins
 */
export async function beginRestore(ctx: Ctx, file: string): Promise<void> {
  const one = await findBackup(ctx, file);
  const refusal = await restoreRefusal(ctx, one);
  const restorer = restorerOf(ctx);
  if (refusal !== null || restorer === null) throw fail('CONFLICT', `Not restored: ${refusal}.`);
  const { sizeBytes } = one;
  const claimed = restorer.claim({ file, by: ctx.actor.label ?? ctx.actor.kind });
  try {
    await ctx.tx((ctx) => backupEvents.tell(ctx, 'BACKUP_RESTORE_STARTED', file, { sizeBytes }));
  } catch (error) {
    claimed.leave();
    throw error;
  }
  claimed.begin();
}

/** @throws AppError NOT_FOUND */
export async function findBackup(ctx: Ctx, file: string): Promise<KnownBackup> {
  const { config } = deskOf(ctx);
  const parts = partsOfName(file);
  const place = await openBackupPlace(config);
  const sizeBytes = parts === null ? null : await sizeInPlace(place, file);
  if (parts === null || sizeBytes === null) throw fail('NOT_FOUND', `backup ${file} was not found`);
  return knownBackup({ file, sizeBytes, parts, sidecar: await readSidecar(place, file) });
}

/**
 * The bytes of a backup as they lie in their place, which the audit log remembers.
 *
 * @throws AppError NOT_FOUND
 */
export async function downloadBackup(ctx: Ctx, file: string): Promise<Content> {
  const { sizeBytes, encrypted, sidecar } = await findBackup(ctx, file);
  const place = await openBackupPlace(deskOf(ctx).config);
  await ctx.tx((ctx) => backupEvents.tell(ctx, 'BACKUP_DOWNLOADED', file, { sizeBytes, encrypted }));
  return {
    type: 'application/octet-stream',
    size: sizeBytes,
    etag: sidecar === null ? null : `"${sidecar.sha256}"`,
    headers: { 'Content-Disposition': `attachment; filename="${file}"` },
    async *read(start, end) {
      const bytes = await place.read(file, [start, end]);
      if (bytes === null) throw fail('NOT_FOUND', `backup ${file} was not found`);
      yield* bytes;
    },
    close: async () => undefined,
  };
}
