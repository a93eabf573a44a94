import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';
import {
  type KeepRule,
  listBackups,
  openBackupPlace,
  removeBackup,
  superfluous,
} from '#platform/backup/index.ts';
import { readInstallationId } from '#platform/installation/index.ts';
import { pruneStreamFiles } from './stream/files/prune.ts';

/** What was removed, or would be. */
export interface Pruned {
  readonly removed: readonly string[];
  /** Backups that stay. */
  readonly kept: number;
  readonly streamFiles: number;
}

/**
 * Removes backups of this installation that a rule does not keep, and files of its stream that none of the others can
 * name; what others have in the same place is left alone.
 *
 * @returns files that were removed, or would be, how many are left, and how many files of the stream went
 */
export async function pruneBackups(
  config: Config,
  database: Database,
  rule: KeepRule,
  { dryRun }: { dryRun: boolean },
): Promise<Pruned> {
  const isMade = (await listTables(database.db)).includes('settings');
  const installation = isMade ? await readInstallationId(database) : null;
  const place = await openBackupPlace(config);
  const own = (await listBackups(place)).filter(
    ({ sidecar }) => sidecar !== null && sidecar.installation === installation,
  );
  const removed = superfluous(own, rule, config.jobs.timeZone);
  if (!dryRun) for (const file of removed) await removeBackup(place, file);
  const streamFiles = isMade
    ? await pruneStreamFiles(place, { config, database, installation, withoutBackups: removed, dryRun })
    : 0;
  return { removed, kept: own.length - removed.length, streamFiles };
}
