import { statfs } from 'node:fs/promises';
import type { Database as Connection } from 'better-sqlite3';

/** A table that nobody ever sees: what it takes is given back at once. */
const PROBE = `
SAVEPOINT probe;
CREATE TABLE appctl_probe (bytes BLOB);
INSERT INTO appctl_probe VALUES (zeroblob(65536));
ROLLBACK TO probe;
RELEASE probe`;

/** One page may still fit on a disk on which no use case does. */
const LEAST_FREE_BYTES = 262_144;

/**
 * @param folder of the database file
 * @throws Error with code SQLITE_FULL
 */
export async function requireFreeSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= LEAST_FREE_BYTES) return;
  throw Object.assign(new Error(`${bavail * bsize} bytes are free in ${folder}`), { code: 'SQLITE_FULL' });
}

/**
 * Takes pages as a new row does, and leaves a page for the commit. The version that it rewrites is one that nothing
 * reads, and stays as it is.
 *
 * @param connection in a transaction
 */
export function writeProbe(connection: Connection): void {
  connection.exec(PROBE);
  const version = connection.pragma('user_version', { simple: true });
  connection.pragma(`user_version = ${version}`);
}
