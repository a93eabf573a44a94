import { allows } from '#kernel/actor.ts';
import { isFarAhead, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import { localMinute } from '#kernel/local-time.ts';
import { fail } from '#kernel/service/errors.ts';
import { sizeText } from '#kernel/size-words.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { relativeTime } from '#kernel/time-words.ts';
import { shellWord } from '../panel/index.ts';
import type { KnownBackup } from './catalog.ts';
import { deskOf } from './desk.ts';
import { type LastRestore, readLastRestore } from './last-restore.ts';
import { isOwnLabel } from './names.ts';
import { openBackupPlace } from './place.ts';
import type { BackupProgress } from './progress.ts';
import { backupJob } from './scheduled.ts';
import { backups, findBackup, restoreRefusal } from './staff.ts';

const MS_PER_DAY = 86_400_000;
/** As the check `db.backup-age` judges it. */
const OLDEST_DAYS = { scheduled: 2, byHand: 7 } as const;
const MOST_SHOWN = 200;

const mayBegin = ({ actor }: Ctx): boolean => allows(actor, 'system:write');

/** @throws AppError INSUFFICIENT_SCOPE */
export async function requireMayBegin(ctx: Ctx): Promise<void> {
  if (!mayBegin(ctx))
    throw fail('INSUFFICIENT_SCOPE', 'Making and verifying backups needs the permission system:write');
}

/** What the list shows. A place that cannot be read is said on the page: that is when somebody looks. */
export async function listModel(ctx: Ctx, path: string) {
  const { config } = deskOf(ctx);
  const job = await schedulerOf(ctx).find(ctx, backupJob.name);
  const seen = await backups(ctx).catch((error: unknown) => {
    if (!(error instanceof StorageFailure)) throw error;
    return { fault: `${error.message}. To fix it, ${error.hint}.` };
  });
  const known = 'fault' in seen ? null : seen;
  const place = known?.place ?? (await openBackupPlace(config)).display;
  return {
    path,
    place,
    fault: 'fault' in seen ? seen.fault : null,
    mayBegin: mayBegin(ctx),
    restored: restoredOf(readLastRestore(config)),
    isRunning: job.running || known?.underWay != null,
    progress: progressText(known?.underWay ?? null),
    age: ageOf(known?.latestAt ?? null, config.backup.schedule !== null),
    schedule: config.backup.schedule === null ? 'off' : job.schedule,
    next: job.nextRunAt === null ? null : localMinute(new Date(job.nextRunAt)),
    failed: job.lastStatus === 'failed' ? job.lastError : null,
    isEncrypted: config.backup.encryptTo.length > 0 || config.backup.passphrase !== undefined,
    total: known?.backups.length ?? 0,
    items: (known?.backups ?? []).slice(0, MOST_SHOWN).map((one) => itemOf(one, path)),
  };
}

/** What came of the last restore that was asked for here; a day later nobody looks for it any more. */
function restoredOf(last: LastRestore | null) {
  if (last === null || systemClock.epochMs() - Date.parse(last.at) > MS_PER_DAY) return null;
  const { file, by, at, error, previous } = last;
  const undo = previous === null ? null : `appctl restore ${previous}`;
  return { file, by, error, previous, undo, at: localMinute(new Date(at)) };
}

const itemOf = (one: KnownBackup, path: string) => ({
  file: one.file,
  href: `${path}/${encodeURIComponent(one.file)}`,
  created: localMinute(new Date(one.createdAt)),
  size: sizeText(one.sizeBytes),
  version: one.sidecar?.version ?? 'unknown',
  database: one.sidecar === null ? 'unknown' : one.sidecar.database === 'sqlite' ? 'SQLite' : 'Postgres',
  label: one.label,
  isOwn: isOwnLabel(one.label),
  encrypted: one.encrypted,
  verified: one.verified,
});

function progressText(underWay: BackupProgress | null): string | null {
  if (underWay === null) return null;
  const { stage, done, total } = underWay;
  const part = total === null ? '' : `, ${Math.min(99, Math.floor((100 * done) / total))} percent`;
  return `${stage.charAt(0).toUpperCase()}${stage.slice(1)}${part}`;
}

function ageOf(latestAt: string | null, isScheduled: boolean) {
  if (latestAt === null)
    return { tone: 'bad', word: 'No backup', text: 'If the disk fails, every license is lost.' };
  const nowMs = systemClock.epochMs();
  const distanceMs = Date.parse(latestAt) - nowMs;
  const isOld = -distanceMs > MS_PER_DAY * (OLDEST_DAYS[isScheduled ? 'scheduled' : 'byHand'] + 1);
  const text = `${relativeTime(distanceMs)}, ${localMinute(new Date(latestAt))}`;
  if (isFarAhead(latestAt, nowMs)) return { tone: 'bad', word: 'In the future', text };
  return isOld ? { tone: 'warn', word: 'Too old', text } : { tone: 'ok', word: 'OK', text };
}

/** What one backup shows. The commands name the installation as this server was told it. */
export async function itemModel(ctx: Ctx, file: string, path: string) {
  const one = await findBackup(ctx, file);
  const { config, files } = deskOf(ctx);
  const where = [
    ...(files.config === null ? ['--data-dir', config.dataDir] : ['--config', files.config]),
    ...(files.envFile === null ? [] : ['--env-file', files.envFile]),
  ];
  const line = (...words: string[]): string =>
    ['appctl', ...words, ...where].map((word) => shellWord(word)).join(' ');
  return {
    ...itemOf(one, path),
    path,
    schema: one.sidecar?.schemaVersion ?? null,
    sha256: one.sidecar?.sha256 ?? null,
    masterKeyId: one.sidecar?.masterKeyId ?? null,
    mayDownload: allows(ctx.actor, 'system:danger'),
    mayVerify: mayBegin(ctx) && !(one.encrypted && config.backup.passphrase === undefined),
    mayRestore: allows(ctx.actor, 'system:danger'),
    restoreHref: `${path}/${encodeURIComponent(file)}/restore`,
    refusal: await restoreRefusal(ctx, one),
    downloadHref: `${path}/${encodeURIComponent(file)}/download`,
    needsKey: one.encrypted && config.backup.passphrase === undefined,
    serviceName: config.serviceName,
    isPostgres: !config.database.url.startsWith('sqlite:'),
    commands: { verify: line('backup', 'verify', file), restore: line('restore', file) },
  };
}
