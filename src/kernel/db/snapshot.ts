import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import type { Database } from './database.ts';

/** A consistent copy of a SQLite database in a new file of mode 0600, on disk when this resolves (M22). */
export async function copyTo(database: Database, file: string): Promise<void> {
  await database.db.knex.raw('VACUUM INTO ?', [file]);
  chmodSync(file, 0o600);
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
