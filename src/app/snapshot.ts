import { join } from 'node:path';
import { type Clock, isoTime } from '#kernel/clock.ts';
import type { Database } from '#kernel/db/database.ts';
import { copyTo } from '#kernel/db/snapshot.ts';
import type { Log } from '#kernel/log.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';

/**
 * Copies a SQLite database before its schema changes (auto_migrate = backup). Postgres has no copy of its own in
 * the program yet; the log says so.
 *
 * @returns path of the copy, or null when none was made
 */
export async function snapshotBefore(
  database: Database,
  folder: string,
  clock: Clock,
  log: Log,
): Promise<string | null> {
  if (database.dialect !== 'sqlite') {
    log.warn(
      'migrations run without a copy of the Postgres database; take one with pg_dump before an upgrade',
    );
    return null;
  }
  ensurePrivateFolder(folder);
  const stamp = isoTime(clock.epochMs()).replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
  const file = join(folder, `pre-migrate-${stamp}.db`);
  await copyTo(database, file);
  log.info({ file }, 'the database was copied before its migrations');
  return file;
}
