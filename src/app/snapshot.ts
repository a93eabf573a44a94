import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import type { Migrator } from '#kernel/db/migrate.ts';
import type { Log } from '#kernel/log.ts';
import { createBackup } from './backup/create.ts';
import { sealingOf } from './backup/options.ts';
import { storagesOf } from './backup/source.ts';

/** What is about to be migrated. */
export interface Migrated {
  readonly config: Config;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Backs up a database before its schema changes (auto_migrate = backup), without bundles and pictures, which no
 * migration changes.
 *
 * @returns where the backup is; null for a database without a file
 */
export async function snapshotBefore({
  config,
  database,
  migrator,
  clock,
  log,
}: Migrated): Promise<string | null> {
  if (database.displayUrl === 'sqlite::memory:') return null;
  const source = {
    config,
    configFile: null,
    database,
    migrator,
    clock,
    keyring: null,
    storages: storagesOf(config),
  };
  const { target } = await createBackup(source, {
    out: { to: 'place' },
    label: 'pre-migrate',
    exclude: ['media', 'bundles'],
    sealing: sealingOf(config),
  });
  log.info({ backup: target }, 'the database was backed up before its migrations');
  return target;
}
