import type { Config } from '#kernel/config/config.ts';
import { AppError } from '#kernel/errors.ts';
import { listBackups, openBackupPlace } from '#platform/backup/index.ts';
import { sqliteFileOf } from './backup/target.ts';
import { migrations } from './migrations.ts';
import { readJournal } from './upgrade/journal.ts';
import { placeOf } from './upgrade/place.ts';

/** Made by the program before a schema changes. */
const BEFORE = ['pre-upgrade', 'pre-migrate'];

/** The refusal of a database that a newer program migrated, with the command that leads out. */
export async function newerSchema(config: Config, unknown: readonly string[]): Promise<AppError> {
  const message = `the database was migrated by a newer appctl (it has ${unknown.join(', ')})`;
  return new AppError('CONFLICT', 409, message, { details: { hint: await cureOf(config) } });
}

async function cureOf(config: Config): Promise<string> {
  const journal = readJournal(placeOf(process.execPath));
  if (journal?.state === 'returning' && journal.dataDir === config.dataDir)
    return 'finish the return from the upgrade: appctl upgrade apply --continue';
  const backup = await backupBefore(config).catch(() => null);
  if (backup === null)
    return 'run the newer appctl, or restore a backup from before the upgrade: appctl backup list';
  // What cannot be backed up by this program is moved aside, where it is a file.
  const way = sqliteFileOf(config) === null ? ' --no-backup' : '';
  const first = way === '' ? '' : 'keep a copy with pg_dump and ';
  return `run the newer appctl, or ${first}return to the backup from before the upgrade: appctl restore ${backup}${way} --confirm ${config.serviceName}`;
}

/** The newest one whose schema this program knows. */
async function backupBefore(config: Config): Promise<string | null> {
  const known = new Set(migrations.map(({ name }) => name));
  const all = await listBackups(await openBackupPlace(config));
  const fitting = all.filter(
    ({ sidecar }) =>
      sidecar !== null && BEFORE.includes(sidecar.label ?? '') && known.has(sidecar.schemaVersion),
  );
  return fitting.sort((one, other) => (one.file < other.file ? 1 : -1))[0]?.file ?? null;
}
