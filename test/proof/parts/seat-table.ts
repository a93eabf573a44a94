// The table of the fixture that lends seats: as the program's own as far as a reader counts live rows in it.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ProofBench } from './proof.ts';
import { openFile, openServer, type Reader } from './reader.ts';

const TABLE = 'CREATE TABLE license_activations (license_id TEXT, machine_id TEXT, ended_at TEXT)';

/** @returns the fixture's words that name the database, and a reader of it */
export async function makeFixtureTable({
  database,
  folder,
}: ProofBench): Promise<{ where: string[]; reader: Reader }> {
  if (database.url !== undefined) {
    await database.execute(TABLE, []);
    return { where: ['--url', database.url], reader: await openServer(database.url) };
  }
  const file = join(folder, 'seats.db');
  const made = new Database(file);
  made.pragma('journal_mode = WAL');
  made.pragma('synchronous = OFF');
  made.exec(TABLE);
  made.close();
  return { where: ['--file', file], reader: await openFile(file) };
}
