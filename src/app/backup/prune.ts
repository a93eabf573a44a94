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

/**
 * Removes backups of this installation that a rule does not keep; those of others in the same place are left alone.
 *
 * @returns files that were removed, or would be, and how many are left
 */
export async function pruneBackups(
  config: Config,
  database: Database,
  rule: KeepRule,
  { dryRun }: { dryRun: boolean },
): Promise<{ removed: string[]; kept: number }> {
  const isMade = (await listTables(database.db)).includes('settings');
  const installation = isMade ? await readInstallationId(database) : null;
  const place = await openBackupPlace(config);
  const own = (await listBackups(place)).filter(
    ({ sidecar }) => sidecar !== null && sidecar.installation === installation,
  );
  const removed = superfluous(own, rule, config.jobs.timeZone);
  if (!dryRun) for (const file of removed) await removeBackup(place, file);
  return { removed, kept: own.length - removed.length };
}
