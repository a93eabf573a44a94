import { statSync } from 'node:fs';
import type { Database, Db } from './database.ts';

/** Questions about the condition of a database as a whole: for `status`, `doctor` and the panel. */

/** Bytes that the database takes on disk. */
export async function databaseSize({ db }: Database): Promise<number> {
  if (db.dialect === 'postgres') {
    const { rows } = (await db.knex.raw('SELECT pg_database_size(current_database()) AS bytes')) as {
      rows: { bytes: number }[];
    };
    return Number(rows[0]?.bytes ?? 0);
  }
  return (await pragmaNumber(db, 'PRAGMA page_count')) * (await pragmaNumber(db, 'PRAGMA page_size'));
}

/** What SQLite's own check finds, at most 20 lines; nothing for Postgres, which checks its pages as it reads them. */
export async function integrityProblems({ db }: Database): Promise<string[]> {
  if (db.dialect === 'postgres') return invalidIndexes(db);
  const rows = (await db.knex.raw('PRAGMA integrity_check(20)')) as Record<string, string>[];
  return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
}

/** Indexes that Postgres gave up building: they are never used and let duplicates pass. */
async function invalidIndexes(db: Db): Promise<string[]> {
  const { rows } = (await db.knex.raw(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid ORDER BY 1',
  )) as { rows: { name: string }[] };
  return rows.map(({ name }) => `index ${name} is invalid`);
}

/** Foreign keys that do not hold: rows that refer to nothing, or constraints that were never checked. */
export async function foreignKeyProblems({ db }: Database): Promise<string[]> {
  if (db.dialect === 'postgres') {
    const { rows } = (await db.knex.raw(
      "SELECT conrelid::regclass::text AS name, conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated ORDER BY 1, 2",
    )) as { rows: { name: string; conname: string }[] };
    return rows.map(({ name, conname }) => `${name}: ${conname} was never checked`);
  }
  const rows = (await db.knex.raw('PRAGMA foreign_key_check')) as {
    table: string;
    rowid: number;
    parent: string;
  }[];
  return rows
    .slice(0, 20)
    .map(({ table, rowid, parent }) => `${table} row ${rowid} refers to no row of ${parent}`);
}

/** Bytes of SQLite's write-ahead log; null for Postgres and for a database without a file. */
export function walBytes(database: Database): number | null {
  if (database.dialect !== 'sqlite') return null;
  const file = `${database.displayUrl.slice('sqlite:'.length)}-wal`;
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes the write-ahead log back into a SQLite database and empties it, as far as readers allow. */
export async function emptyWal(database: Database): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  const { default: Driver } = await import('better-sqlite3');
  // A connection of its own: the reader of `database` may not write, and its writer only works in transactions.
  const connection = new Driver(database.displayUrl.slice('sqlite:'.length), { timeout: 1000 });
  try {
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}

/** The clock of the database server, epoch milliseconds; null where it is this machine's own. */
export async function serverClockMs({ db }: Database): Promise<number | null> {
  if (db.dialect !== 'postgres') return null;
  const { rows } = (await db.knex.raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms')) as {
    rows: { ms: string }[];
  };
  return Number(rows[0]?.ms);
}

async function pragmaNumber(db: Db, sql: 'PRAGMA page_count' | 'PRAGMA page_size'): Promise<number> {
  const rows = (await db.knex.raw(sql)) as Record<string, number>[];
  return Number(Object.values(rows[0] ?? {})[0] ?? 0);
}
