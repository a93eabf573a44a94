import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import type { Database } from '#kernel/db/database.ts';
import type { Migrator } from '#kernel/db/migrate.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { lostDatabase, refuseLeftBehind, unfinishedCopy } from '#platform/installation/index.ts';

export interface MigrateOptions {
  readonly config: Config;
  readonly log: Log;
  readonly mode: 'prepare' | 'use';
  /** What shows that an installation was served from the data directory before; null for a first start. */
  readonly trace: string | null;
  readonly fresh?: boolean;
}

/**
 * Brings the schema up to date, as far as a process may.
 *
 * @returns names of the migrations that it applied
 * @throws ConfigError (78) for an empty database that has taken the place of another one, and for a copy that is not
 *   complete; AppError PENDING_MIGRATIONS, CONFLICT for a newer schema
 */
export async function migrateFor(
  { config, log, mode, trace, fresh }: MigrateOptions,
  database: Database,
  migrator: Migrator,
  clock: Clock,
): Promise<string[]> {
  const { pending, applied, unknown, unfinishedCopyOf } = await migrator.status();
  if (unfinishedCopyOf !== null) throw unfinishedCopy(maskUrlPassword(config.database.url), unfinishedCopyOf);
  if (pending.length === 0 && unknown.length === 0) return [];
  if (unknown.length > 0) throw await (await import('./newer-schema.ts')).newerSchema(config, unknown);
  const isEmpty = applied.length === 0;
  if (isEmpty && !fresh) await refuseLeftBehind(config);
  if (mode === 'prepare' && isEmpty && trace !== null && !fresh)
    throw lostDatabase(trace, maskUrlPassword(config.database.url), 'empty');
  if (mode === 'use' || (config.autoMigrate === 'no' && applied.length > 0)) {
    throw pendingMigrations(pending.map((step) => step.name));
  }
  if (config.autoMigrate === 'backup' && applied.length > 0 && pending.length > 0) {
    const { snapshotBefore } = await import('./snapshot.ts');
    await snapshotBefore({ config, database, migrator, clock, log });
  }
  return migrator.up();
}

const pendingMigrations = (names: string[]): AppError =>
  new AppError(
    'PENDING_MIGRATIONS',
    503,
    `the database lacks ${names.length} migrations (${names.join(', ')})`,
    {
      details: { hint: 'appctl migrate up' },
    },
  );
