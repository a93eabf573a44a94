import type { Database as Connection } from 'better-sqlite3';
import { sleep } from '../../clock.ts';
import { isBusy } from '../dialect.ts';

const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 2;

/** SQLite takes the state with the first read. */
export function beginReading(connection: Connection): void {
  connection.exec('BEGIN');
  connection.prepare('SELECT count(*) FROM sqlite_master').get();
}

export function endReading(connection: Connection): void {
  if (connection.inTransaction) connection.exec('ROLLBACK');
}

/** Waits a moment for a command beside this server, but not longer than a commit may. */
export async function beginWriting(connection: Connection): Promise<boolean> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    try {
      connection.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
  return false;
}

/** How many frames of the log count. @throws Error when others kept it from being told for long */
export async function publishedFrames(connection: Connection): Promise<number> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    const [told] = connection.pragma('wal_checkpoint(NOOP)') as { busy: number; log: number }[];
    if (told?.busy === 0) return told.log;
    await sleep(LOCK_PAUSE_MS);
  }
  throw new Error('the write-ahead log is busy');
}
